/** The allowed imports (docs/architecture.md §3). tools/imports/check-imports.mjs compares folders too. */
const subgraphs = ['account', 'keys', 'oauth', 'usage']

/** Tests and programs that measure and search: they may know everything, and nothing knows them. */
const proofs = '^(test|proof)/'

/** Each may import itself and the folders below it: nothing imports upwards. */
const layers = {
  schema: [],
  subgraphs: ['schema'],
  'rest-facade': ['schema'],
  site: ['schema', 'rest-facade'],
  gateway: ['schema', 'subgraphs', 'rest-facade', 'site'],
  tools: ['schema', 'subgraphs', 'rest-facade', 'site', 'gateway'],
}
const ours = [...Object.keys(layers), 'console', 'sdk', 'test', 'proof'].join('|')

/** The folders of the program that open both sides of the graph and start the processes. */
const compositionRoot =
  '^gateway/(commands|launch|processes(?!/(group|redis)/)|trial/(demo|embedded-postgres))/'
/** The files that read and check the settings of both sides. */
const settings = '^gateway/config/'
const docsSite = '^site/docs-site\\.ts$'
/** All that only the site imports. */
const docsPages =
  '^site/(values/|markup/|(docs-assets|llms-txt|page|scalar|search-index|stored-pages)\\.ts$)'
/** The texts of the documentation, which `npm run schema` renders. */
const docsTexts = '^site/content/'

export default {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    ...Object.entries(layers).map(([layer, below]) => ({
      name: `${layer}-imports-nothing-above-it`,
      severity: 'error',
      from: { path: `^${layer}/` },
      to: { path: `^(${ours})/`, pathNot: `^(${[layer, ...below].join('|')})/` },
    })),
    {
      name: 'facade-knows-the-graph-only-through-schema',
      severity: 'error',
      from: { path: '^(rest-facade|site)/' },
      to: { path: 'node_modules/(@mikro-orm|type-graphql|pg)/' },
    },
    {
      name: 'the-composition-root-opens-the-subgraphs',
      severity: 'error',
      from: { path: '^gateway/', pathNot: [compositionRoot, settings] },
      to: { path: '^subgraphs/|node_modules/(@mikro-orm|type-graphql|pg)/' },
    },
    {
      name: 'the-facade-is-handed-what-it-uses',
      severity: 'error',
      // The facade listens on nothing, starts no process and opens no client of a service.
      from: { path: '^rest-facade/' },
      to: { path: '^(node:)?(child_process|cluster)$|node_modules/(ioredis|nodemailer|stripe)/' },
    },
    {
      name: 'composition-root-is-the-top',
      severity: 'error',
      from: { pathNot: [compositionRoot, proofs] },
      to: { path: compositionRoot },
    },
    {
      name: 'settings-are-read-by-the-composition-root',
      severity: 'error',
      from: { pathNot: [compositionRoot, settings, proofs] },
      to: { path: settings },
    },
    {
      name: 'tracing-sdk-has-one-place',
      severity: 'error',
      from: { pathNot: '^gateway/launch/process/otlp' },
      to: { path: 'node_modules/@opentelemetry/(?!api/)' },
    },
    {
      name: 'tracing-sdk-is-loaded-only-when-asked-for',
      severity: 'error',
      from: {},
      to: { path: '^gateway/launch/process/otlp', dependencyTypesNot: ['dynamic-import'] },
    },
    {
      name: 'stripe-is-loaded-only-when-configured',
      severity: 'error',
      from: { pathNot: proofs },
      to: {
        path: 'node_modules/stripe/',
        dependencyTypesNot: ['dynamic-import', 'type-only'],
      },
    },
    {
      name: 'nodemailer-is-loaded-only-when-configured',
      severity: 'error',
      from: { pathNot: proofs },
      to: {
        path: 'node_modules/nodemailer/',
        dependencyTypesNot: ['dynamic-import', 'type-only'],
      },
    },
    {
      name: 'the-query-planner-plans-in-advance',
      severity: 'error',
      // `npm run schema` plans the persisted operations.
      from: { pathNot: ['^tools/', proofs] },
      to: { path: 'node_modules/@graphql-hive/' },
    },
    {
      name: 'the-merged-schema-is-loaded-only-for-free-form-documents',
      severity: 'error',
      from: {
        pathNot: ['^gateway/internal/', '^gateway/operator/run-document\\.ts$', proofs],
      },
      to: {
        path: '^gateway/internal/free-form/',
        dependencyTypesNot: ['dynamic-import', 'type-only'],
      },
    },
    {
      name: 'documents-of-operators-run-from-their-first-request',
      severity: 'error',
      from: { pathNot: proofs },
      to: {
        path: '^gateway/operator/run-document\\.ts$',
        dependencyTypesNot: ['dynamic-import', 'type-only'],
      },
    },
    {
      name: 'the-documentation-is-loaded-at-its-first-request',
      severity: 'error',
      from: { pathNot: proofs },
      to: { path: docsSite, dependencyTypesNot: ['dynamic-import', 'type-only'] },
    },
    {
      name: 'pages-of-the-documentation-are-made-by-its-site',
      severity: 'error',
      from: { pathNot: [docsSite, docsPages, docsTexts, proofs] },
      to: { path: docsPages, dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'pages-of-the-documentation-are-rendered-in-advance',
      severity: 'error',
      // A running gateway has neither their texts nor the packages that render them.
      from: { pathNot: ['^tools/', docsTexts, proofs] },
      to: {
        path: [docsTexts, 'node_modules/(marked|highlight\\.js)/'],
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'subgraphs-do-not-know-the-facade',
      severity: 'error',
      from: { path: '^subgraphs' },
      to: { path: 'node_modules/express/' },
    },
    ...subgraphs.map((name) => ({
      name: `${name}-meets-others-only-in-the-supergraph`,
      severity: 'error',
      from: { path: `^subgraphs/${name}/` },
      to: { path: '^subgraphs/', pathNot: `^subgraphs/(${name}|shared)/` },
    })),
    {
      name: 'shared-knows-no-subgraph',
      severity: 'error',
      from: { path: '^subgraphs/shared' },
      to: { path: '^subgraphs/(?!shared)' },
    },
    {
      name: 'services-know-no-graphql',
      severity: 'error',
      from: { path: '\\.service\\.ts$' },
      to: { path: 'node_modules/(type-graphql|graphql|@apollo)/|\\.resolver\\.ts$' },
    },
    {
      name: 'resolvers-hold-no-entities',
      severity: 'error',
      from: { path: '\\.resolver\\.ts$' },
      to: { path: '\\.entity\\.ts$|\\.statements\\.ts$' },
    },
    {
      name: 'the-client-stands-alone',
      severity: 'error',
      // The SDK imports neither the project nor a library nor Node, because it runs in browsers too.
      from: { path: '^sdk/src' },
      to: { pathNot: '^sdk/src' },
    },
    {
      name: 'the-console-knows-only-the-client',
      severity: 'error',
      // If the console needs something that the API lacks, the API is extended.
      from: { path: '^console/src' },
      to: {
        path: '^(gateway|site|tools|subgraphs|rest-facade|schema|test|proof)/|^(node:)?(fs|path|crypto)$',
        pathNot:
          '^(rest-facade/pages/html/palette|schema/vocabulary/billing/countries|schema/vocabulary/error-texts/error-advice|schema/vocabulary/audit-actions|schema/vocabulary/claimed-name|schema/vocabulary/service-names|schema/catalog/scenario)\\.ts$',
      },
    },
    {
      name: 'nothing-imports-the-console',
      severity: 'error',
      from: { pathNot: '^(console|test/unit/console)/' },
      to: { path: '^console/src' },
    },
    {
      name: 'the-client-is-for-others',
      severity: 'error',
      from: { pathNot: '^(sdk|console|test|proof)/' },
      to: { path: '^sdk' },
    },
    {
      name: 'nothing-imports-tests',
      severity: 'error',
      from: { pathNot: proofs },
      to: { path: proofs },
    },
    {
      name: 'unit-tests-need-no-gateway-and-no-database',
      severity: 'error',
      from: { path: '^test/unit/' },
      to: {
        path: '^test/support/(database|gateway|processes|oauth|load)/|^(node:)?child_process$',
      },
    },
    {
      name: 'api-tests-start-no-processes',
      severity: 'error',
      from: { path: '^test/api/' },
      to: { path: '^test/support/processes/|^(node:)?child_process$' },
    },
    {
      name: 'tests-import-no-tests-of-another-kind',
      severity: 'error',
      from: { path: '^test/(unit|api|system|nightly)/' },
      to: { path: '^test/(unit|api|system|nightly)/', pathNot: '^test/$1/' },
    },
    {
      name: 'tests-run-no-benchmark',
      severity: 'error',
      from: { path: '^test/' },
      // Tests test the benchmarks' own arithmetic, as they test any other code.
      to: {
        path: '^proof/bench/',
        pathNot: '^proof/bench/(machine|generator|records|soak|support)/',
      },
    },
    {
      name: 'support-imports-no-tests',
      severity: 'error',
      from: { path: '^test/support/' },
      to: { path: '^(test/(unit|api|system|nightly)|proof)/' },
    },
    {
      name: 'proof-imports-no-tests',
      severity: 'error',
      // Benchmarks and searches start gateways and databases as tests do.
      from: { path: '^proof/' },
      to: { path: '^test/', pathNot: '^test/support/' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    // TypeScript 7 has no parser for other tools; swc has.
    parser: 'swc',
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'types'],
    },
  },
}
