import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { printSubgraphSchema } from '@apollo/subgraph'
import { QueryPlanner } from '@graphql-hive/router-query-planner'
import {
  composeServices,
  transformSupergraphToPublicSchema,
} from '@theguild/federation-composition'
import {
  buildASTSchema,
  type DocumentNode,
  type GraphQLSchema,
  getOperationAST,
  Kind,
  parse,
  print,
  Source,
  validate,
} from 'graphql'
import type { JoinPlan } from '../../rest-facade/graph/joined-operation.ts'
import { pageRoutes } from '../../rest-facade/pages/docs/page-routes.ts'
import { routes } from '../../rest-facade/routes/index.ts'
import { localRoutes } from '../../rest-facade/routes/local.ts'
import { loadCatalog } from '../../schema/catalog/load-catalog.ts'
import { projectRoot } from '../../schema/process/project-root.ts'
import { siteFiles } from '../../site/content/site-files.ts'
import { account } from '../../subgraphs/account/index.ts'
import { keys } from '../../subgraphs/keys/index.ts'
import { oauth } from '../../subgraphs/oauth/index.ts'
import { usage } from '../../subgraphs/usage/index.ts'
import {
  expand,
  type Fragments,
  fragmentsFolder,
  readFragments,
  withFragments,
} from '../fragments/expand.ts'
import { readExamples } from '../openapi/components/examples.ts'
import { openapiDocument } from '../openapi/document.ts'
import { withoutPages } from '../openapi/operations/page-operation.ts'
import { freeTools } from './free-tools.ts'
import { joinPlan } from './join-plan.ts'
import { operationTypes, operatorOperationTypes } from './operation-types.ts'
import { type OperatorDocument, operatorDocument } from './operator-documents.ts'
import { postmanCollection } from './postman.ts'
import { sdkFiles } from './sdk-files.ts'
import { inStableOrder } from './stable-order.ts'

const subgraphs = [account, keys, oauth, usage]
/** The documents of the operators' page. */
const operatorFolder = 'schema/operator'

/** The reason why a file cannot be generated, with its place. */
export interface Finding {
  readonly file: string
  /** Counted from 1, where it is known. */
  readonly line?: number
  readonly message: string
}

export interface Generated {
  /** Path below the project's root → content. */
  readonly files: ReadonlyMap<string, string>
  readonly findings: readonly Finding[]
}

interface ServiceDefinition {
  readonly name: string
  readonly typeDefs: DocumentNode
  readonly url: string
}

/** Prints, composes and validates everything under schema/ that is not written by hand. */
export async function generate(): Promise<Generated> {
  // The pages depend on no operation, so they are made even if one is invalid.
  const files = new Map(siteFiles())
  const services: ServiceDefinition[] = []
  for (const subgraph of subgraphs) {
    const sdl = `${printSubgraphSchema(inStableOrder(await subgraph.buildSchema()))}\n`
    files.set(`schema/generated/${subgraph.name}.graphql`, sdl)
    services.push({ name: subgraph.name, typeDefs: parse(sdl), url: `http://${subgraph.name}` })
  }
  const composed = composeServices(services)
  if (composed.supergraphSdl === undefined) {
    const file = 'schema/generated/supergraph.graphql'
    return { files, findings: composed.errors.map(({ message }) => ({ file, message })) }
  }
  files.set('schema/generated/supergraph.graphql', `${composed.supergraphSdl.trim()}\n`)
  const api = transformSupergraphToPublicSchema(parse(composed.supergraphSdl))
  files.set('schema/generated/api.graphql', `${print(api)}\n`)
  const planner = new QueryPlanner(composed.supergraphSdl)
  const { manifest, operatorDocuments, findings } = collectOperations(api, services, planner)
  files.set('schema/generated/operations.json', `${JSON.stringify(manifest, null, 2)}\n`)
  // Invalid operations cannot be described.
  if (findings.length > 0) return { files, findings }
  const schema = buildASTSchema(api)
  files.set('schema/generated/operations.ts', operationTypes(schema, manifest))
  files.set(
    'schema/generated/operator-operations.json',
    `${JSON.stringify(operatorDocuments, null, 2)}\n`,
  )
  files.set(
    'schema/generated/operator-operations.ts',
    operatorOperationTypes(schema, operatorDocuments),
  )
  const document = openapiDocument({
    ...{ localRoutes, routes, pageRoutes, catalog: loadCatalog(), manifest, schema },
    examples: readExamples(),
  })
  files.set('schema/generated/openapi.json', `${JSON.stringify(document, null, 2)}\n`)
  files.set('schema/generated/free-tools.json', `${JSON.stringify(freeTools(document), null, 2)}\n`)
  const callable = withoutPages(document)
  files.set(
    'schema/generated/postman.json',
    `${JSON.stringify(postmanCollection(callable), null, 2)}\n`,
  )
  for (const [file, content] of sdkFiles(callable)) files.set(file, content)
  return { files, findings }
}

/** An operation that callers may execute. */
interface ManifestEntry {
  readonly sha256: string
  /** The subgraph that answers it alone; missing if it joins several. */
  readonly subgraph?: string
  readonly document: string
  /** The requests to the subgraphs that it joins. */
  readonly plan?: JoinPlan
}

/** Entries of the manifest by the name of their operation. */
export type Manifest = Record<string, ManifestEntry>

function collectOperations(
  api: DocumentNode,
  services: readonly ServiceDefinition[],
  planner: QueryPlanner,
): {
  manifest: Manifest
  operatorDocuments: Readonly<Record<string, OperatorDocument>>
  findings: Finding[]
} {
  const schema = buildASTSchema(api)
  const alone = services.map(({ name, typeDefs }) => ({
    name,
    schema: buildASTSchema(typeDefs, { assumeValidSDL: true }),
  }))
  const manifest: Manifest = {}
  const { fragments, problems } = readFragments(graphqlFilesIn(fragmentsFolder))
  const findings: Finding[] = [...problems]
  const used = new Set<string>()
  for (const [file, text] of graphqlFilesIn('schema/operations')) {
    const parsed = parseOrReport(new Source(text, file))
    if (typeof parsed === 'string') {
      findings.push({ file, message: parsed })
      continue
    }
    const document = print(expand(parsed, fragments))
    const name = nameOf(file)
    const messages = [
      ...(manifest[name] ? [`another file defines ${name} too`] : []),
      ...nameProblems(parsed, name),
    ]
    findings.push(...messages.map((message) => ({ file, message })))
    findings.push(...invalidities(schema, file, withFragments(parsed, fragments), used))
    const subgraph = alone.find((one) => canAnswer(one.schema, parse(document)))?.name
    const isJoin = subgraph === undefined && validate(schema, parse(document)).length === 0
    const plan = isJoin ? planOrReport(() => joinPlan(planner, document, schema)) : undefined
    if (typeof plan === 'string') findings.push({ file, message: plan })
    manifest[name] = {
      sha256: createHash('sha256').update(document).digest('hex'),
      // The facade asks the subgraphs directly, without the query planner.
      ...{ subgraph, document },
      ...(typeof plan === 'object' && { plan }),
    }
  }
  const operatorDocuments: Record<string, OperatorDocument> = {}
  for (const [file, text] of graphqlFilesIn(operatorFolder)) {
    const parsed = parseOrReport(new Source(text, file))
    if (typeof parsed === 'string') {
      findings.push({ file, message: parsed })
      continue
    }
    const made = operatorDocument(parsed, nameOf(file))
    if (typeof made === 'string') {
      findings.push({ file, message: made })
      continue
    }
    findings.push(...invalidities(schema, file, withFragments(parsed, fragments), used))
    operatorDocuments[nameOf(file)] = { ...made, document: print(expand(parsed, fragments)) }
  }
  const all = [...distinct(findings), ...unused(fragments, used)]
  return { manifest, operatorDocuments, findings: all }
}

function nameOf(file: string): string {
  return /([^/]+)\.graphql$/.exec(file)?.[1] ?? ''
}

/** What is wrong with a document and its fragments, whose names become `used`. */
function invalidities(
  schema: GraphQLSchema,
  file: string,
  whole: DocumentNode,
  used: Set<string>,
): Finding[] {
  for (const definition of whole.definitions) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION) used.add(definition.name.value)
  }
  return validate(schema, whole).map(({ message, source, locations = [] }) => ({
    ...{ file: source?.name ?? file, line: locations[0]?.line, message },
  }))
}

/** validate() accepts a mutation in a schema without mutations, so the root type is checked too. */
function canAnswer(schema: GraphQLSchema, document: DocumentNode): boolean {
  const operation = getOperationAST(document)
  const root = operation && schema.getRootType(operation.operation)
  return Boolean(root) && validate(schema, document).length === 0
}

/** Path below the project's root → text, of the .graphql files of a folder, in the order of their names. */
function graphqlFilesIn(folder: string): ReadonlyMap<string, string> {
  const names = readdirSync(join(projectRoot, folder), { recursive: true, encoding: 'utf8' })
  const paths = names.filter((name) => name.endsWith('.graphql')).sort()
  return new Map(
    paths.map((name) => {
      const path = join(projectRoot, folder, name)
      return [relative(projectRoot, path), readFileSync(path, 'utf8')]
    }),
  )
}

/** Each once: the mistake of a fragment is found in every operation that uses it. */
function distinct(findings: readonly Finding[]): Finding[] {
  return [...new Map(findings.map((finding) => [JSON.stringify(finding), finding])).values()]
}

function unused(fragments: Fragments, used: ReadonlySet<string>): Finding[] {
  const names = [...fragments.keys()].filter((name) => !used.has(name))
  const message = 'no operation uses this fragment; delete it'
  return names.map((name) => ({ file: `${fragmentsFolder}/${name}.graphql`, message }))
}

/** The plan, or the reason why there is none. */
function planOrReport(plan: () => JoinPlan): JoinPlan | string {
  try {
    return plan()
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

/** The document, or its syntax error. */
function parseOrReport(source: Source): DocumentNode | string {
  try {
    return parse(source)
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

/**
 * A file holds one operation of its own name; its root field `result` is the body, others are
 * members of it.
 */
function nameProblems({ definitions }: DocumentNode, name: string): string[] {
  const [operation, ...others] = definitions
  if (operation?.kind !== Kind.OPERATION_DEFINITION || others.length > 0) {
    return ['must hold exactly one operation']
  }
  const { selections } = operation.selectionSet
  const fields = selections.filter((selection) => selection.kind === Kind.FIELD)
  const result = fields.find(({ alias }) => alias?.value === 'result')
  const isAlone = fields.length === 1
  const problems: string[] = []
  if (operation.name?.value !== name) problems.push(`must name its operation ${name}`)
  if (fields.length < selections.length) problems.push('must select root fields by name')
  if (isAlone && !result) problems.push('must alias its root field result')
  if (!isAlone && result && !result.selectionSet) problems.push('must select members of its result')
  return problems
}
