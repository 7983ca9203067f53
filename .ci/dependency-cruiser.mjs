/** Who may import whom (docs/architecture.md §3). */
const subgraphs = ['account', 'keys', 'oauth', 'usage']

export default {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'facade-knows-the-graph-only-through-schema',
      severity: 'error',
      // The composition root puts both sides together.
      from: { path: '^rest-facade', pathNot: '^rest-facade/bin' },
      to: { path: '^subgraphs|node_modules/(@mikro-orm|type-graphql|pg)/' },
    },
    {
      name: 'composition-root-is-the-top',
      severity: 'error',
      from: { pathNot: '^(rest-facade/bin|test)' },
      to: { path: '^rest-facade/bin' },
    },
    {
      name: 'tracing-sdk-has-one-place',
      severity: 'error',
      from: { pathNot: '^rest-facade/bin/otlp' },
      to: { path: 'node_modules/@opentelemetry/(?!api/)' },
    },
    {
      name: 'tracing-sdk-is-loaded-only-when-asked-for',
      severity: 'error',
      from: {},
      to: { path: '^rest-facade/bin/otlp', dependencyTypesNot: ['dynamic-import'] },
    },
    {
      name: 'stripe-is-loaded-only-when-configured',
      severity: 'error',
      from: { pathNot: '^test' },
      to: {
        path: 'node_modules/stripe/',
        dependencyTypesNot: ['dynamic-import', 'type-only'],
      },
    },
    {
      name: 'subgraphs-do-not-know-the-facade',
      severity: 'error',
      from: { path: '^subgraphs' },
      to: { path: '^rest-facade|node_modules/express/' },
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
      name: 'schema-is-the-contract',
      severity: 'error',
      // What is generated is generated from both sides.
      from: {
        path: '^schema',
        pathNot: '^schema/((generate|compose|check)\\.ts$|(check|openapi)/)',
      },
      to: { path: '^(subgraphs|rest-facade)' },
    },
    {
      name: 'the-client-stands-alone',
      severity: 'error',
      // Neither the project nor a library nor Node: it runs in browsers too.
      from: { path: '^sdk/src' },
      to: { pathNot: '^sdk/src' },
    },
    {
      name: 'the-client-is-for-others',
      severity: 'error',
      from: { pathNot: '^(sdk|test)' },
      to: { path: '^sdk' },
    },
    {
      name: 'nothing-imports-tests',
      severity: 'error',
      from: { pathNot: '^test' },
      to: { path: '^test' },
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
