/** `npm run schema`: writes the generated files of schema/, sdk/, site/ and docs/. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { projectRoot } from '../schema/process/project-root.ts'
import { generate } from './generate/generate.ts'

const { files, findings } = await generate()
for (const { file, message } of findings) process.stderr.write(`${file}: ${message}\n`)
if (findings.length > 0) process.exit(1)
for (const [file, content] of files) {
  const path = join(projectRoot, file)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, content)
}
process.stdout.write(`${[...files.keys()].join('\n')}\n`)
