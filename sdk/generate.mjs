/**
 * Reads the OpenAPI document on standard input and prints the generated files as JSON: path below
 * this folder → content. `npm run schema` runs it (tools/generate/sdk-files.ts).
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { operationsFile } from './generate-operations.mjs'

// The generator needs the compiler's JavaScript API, which TypeScript 7 no longer has.
const typescript = import.meta.resolve('typescript')
registerHooks({
  resolve: (specifier, context, next) =>
    specifier === 'typescript' ? { url: typescript, shortCircuit: true } : next(specifier, context),
})
const { createClient } = await import('@hey-api/openapi-ts')

const header =
  '// Generated from schema/generated/openapi.json by `npm run schema`; changes are lost.'
const document = JSON.parse(await text(process.stdin))
const files = {
  'src/generated/types.gen.ts': await typesFile(withoutFailures(document)),
  'src/generated/operations.gen.ts': `${header}\n${operationsFile(document, document.info.version)}`,
}
process.stdout.write(JSON.stringify(files))

/** Every operation has the same errors, so errors.ts defines them once. */
function withoutFailures({ paths, ...others }) {
  const succeeds = ([status]) => status.startsWith('2')
  const withFewer = ([method, operation]) => {
    const responses = Object.fromEntries(Object.entries(operation.responses).filter(succeeds))
    return [method, { ...operation, responses }]
  }
  const items = Object.entries(paths).map(([path, item]) => [
    path,
    Object.fromEntries(Object.entries(item).map(withFewer)),
  ])
  return { ...others, paths: Object.fromEntries(items) }
}

/** The generator can only write files, so they go to a temporary folder. */
async function typesFile(input) {
  const folder = mkdtempSync(join(tmpdir(), 'sdk-types-'))
  try {
    await createClient({
      input,
      output: { path: folder, entryFile: false, header: [header] },
      logs: { level: 'silent', file: false },
      plugins: [
        // Schemas of the document are called `…Response` and `…Error` too.
        {
          name: '@hey-api/typescript',
          responses: { response: '{{name}}Answer' },
        },
      ],
    })
    return readFileSync(join(folder, 'types.gen.ts'), 'utf8')
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
