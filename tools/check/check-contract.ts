import { buildASTSchema, type GraphQLSchema, parse, validate } from 'graphql'
import type { Generated } from '../generate/generate.ts'
import { leftoverFiles, staleFiles } from './freshness.ts'
import { breaksOf, type Callers, holdOperations } from './graphql/callers.ts'
import { coordinatesIn } from './graphql/coordinates.ts'
import { undescribed } from './graphql/descriptions.ts'
import { apiFile, graphOf } from './graphql/graph.ts'
import { graphqlChanges } from './graphql/graphql-changes.ts'
import { joinsOf } from './graphql/joins.ts'
import { nameExceptions } from './graphql/name-rules.ts'
import { misnamed } from './graphql/names.ts'
import { costly } from './graphql/operation-costs.ts'
import { usesOf } from './graphql/operation-uses.ts'
import { operationsAt, operationsIn } from './graphql/operations.ts'
import { shortNotices } from './openapi/deprecations.ts'
import { openapiChanges } from './openapi/openapi-changes.ts'
import { openapiProblems } from './openapi/openapi-lint.ts'
import { spectralProblems } from './openapi/openapi-spectral.ts'
import { operationProblems } from './openapi/operation-rules.ts'
import { unportablePatterns } from './openapi/portable-patterns.ts'
import { acknowledge, acknowledgementsFile } from './report/acknowledgements.ts'
import type { Finding } from './report/finding.ts'
import type { Failure, Report } from './report/report.ts'
import type { Base } from './trees/base.ts'
import { type Tree, treeOf } from './trees/tree.ts'

export interface Contract {
  /** The files of this tree. */
  readonly tree: Tree
  /** The output of the generators for this tree. */
  readonly generated: Generated
  readonly base: Base
  readonly callers: Callers
  /** An ISO 8601 date, in UTC. */
  readonly today: string
}

const openapiFile = 'schema/generated/openapi.json'

/** Reports the mistakes of the contract, and the changes since the base that break a client. */
export async function checkContract(contract: Contract): Promise<Report> {
  const { tree, generated, base, today } = contract
  const { found, failures } = await runAll(checksOf(contract))
  const texts = { now: tree.read(acknowledgementsFile), atBase: base.read(acknowledgementsFile) }
  // An acknowledgement may belong to a finding of a check that failed.
  const isWhole = failures.length === 0
  const acknowledged = acknowledge(found, { ...texts, today, isWhole })
  const findings = [...found, ...acknowledged.findings].map((finding) => ({
    ...finding,
    acknowledgement: acknowledged.byFinding.get(finding.id) ?? null,
  }))
  const { revision, commit } = base
  return {
    base: { revision, commit },
    fileCount: generated.files.size,
    notes: notesOn(contract),
    failures,
    findings,
  }
}

type Checks = Readonly<Record<string, () => readonly Finding[] | Promise<readonly Finding[]>>>

/** The checks by name; a failure is reported under the name. */
function checksOf(contract: Contract): Checks {
  const { tree, generated, base, today } = contract
  const { files } = generated
  const openapi = { before: base.read(openapiFile), after: files.get(openapiFile) ?? null }
  return {
    generated: () => ungenerated(contract),
    stale: () => staleFiles(tree, files),
    // Without a composition some files are not generated, and must not count as leftover.
    'left over': () => (files.has(apiFile) ? leftoverFiles(tree, files) : []),
    'GraphQL changes': () => changes(contract),
    'OpenAPI changes': () => openapiChanges({ ...openapi, today }),
    ...ruleChecks(contract),
  }
}

/** Runs all checks: one that throws does not stop the others. */
async function runAll(checks: Checks): Promise<{ found: Finding[]; failures: Failure[] }> {
  const found: Finding[] = []
  const failures: Failure[] = []
  for (const [check, run] of Object.entries(checks)) {
    try {
      found.push(...(await run()))
    } catch (error) {
      failures.push({ check, message: error instanceof Error ? error.message : String(error) })
    }
  }
  return { found, failures }
}

/** Subgraphs that do not compose, and operations that do not validate. */
function ungenerated({ generated, callers }: Contract): Finding[] {
  return generated.findings.map(({ file, line, message }) => {
    const [, operation] = /^schema\/operations\/.*?([^/]+)\.graphql$/.exec(file) ?? []
    const breaks = breaksOf(callers, operation === undefined ? [] : [operation])
    return { id: `generate/${file}/${message}`, severity: 'error', file, line, message, breaks }
  })
}

async function changes({ tree, generated, base, callers }: Contract): Promise<Finding[]> {
  const before = graphOf(base)
  const after = graphOf(treeOf(generated.files))
  const schema = before.api ?? after.api
  if (schema === null) return []
  const operations = [...operationsIn(tree), ...operationsAt(base)]
  const uses = usesOf(toSchema(schema), operations, joinsOf(before.subgraphs))
  return graphqlChanges({ before, after, uses, callers })
}

/** Names each comparison that is not possible. */
function notesOn({ generated, base }: Contract): string[] {
  return [apiFile, openapiFile].flatMap((file) => {
    if (base.read(file) === null)
      return [`${base.revision} has no ${file}: nothing to compare it with`]
    return generated.files.has(file) ? [] : [`${file} was not compared: it cannot be generated`]
  })
}

function ruleChecks({ tree, generated, callers }: Contract): Checks {
  const sdl = generated.files.get(apiFile)
  if (sdl === undefined) return {}
  const schema = toSchema(sdl)
  const openapi = generated.files.get(openapiFile)
  const operations = operationsIn(tree)
  const valid = operations.filter(({ document }) => isValid(schema, document))
  return {
    descriptions: () => undescribed(schema, sdl),
    names: () =>
      misnamed({
        ...{ named: coordinatesIn(schema), sdl, operations: valid, exceptions: nameExceptions },
        isPublic: (operation) =>
          callers.routes.has(operation) && !holdOperations.includes(operation),
        openapi: JSON.parse(openapi ?? '{}'),
      }),
    costs: () => costly(schema, valid, callers),
    deprecations: () => (openapi === undefined ? [] : shortNotices(openapi)),
    operations: () => (openapi === undefined ? [] : operationProblems(openapi)),
    patterns: () => (openapi === undefined ? [] : unportablePatterns(openapi)),
    'OpenAPI lint': () => (openapi === undefined ? [] : openapiProblems(openapi)),
    'OpenAPI by Spectral': () => (openapi === undefined ? [] : spectralProblems(openapi)),
  }
}

function isValid(schema: GraphQLSchema, document: string): boolean {
  return validate(schema, parse(document)).length === 0
}

function toSchema(sdl: string): GraphQLSchema {
  return buildASTSchema(parse(sdl))
}
