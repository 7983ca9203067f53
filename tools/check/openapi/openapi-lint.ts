import { join } from 'node:path'
import { z } from 'zod'
import { projectRoot } from '../../../schema/process/project-root.ts'
import type { Finding } from '../report/finding.ts'
import { askRedocly } from './redocly.ts'

const file = 'schema/generated/openapi.json'

/** The members that this program reads of the output of `redocly lint --format json`. */
const lintReport = z.object({
  problems: z.array(
    z.object({
      ruleId: z.string(),
      message: z.string(),
      location: z.array(
        z.object({ pointer: z.string(), start: z.object({ line: z.int() }).optional() }),
      ),
    }),
  ),
})

/** Redocly's findings about the document, by the rules of `redocly.yaml`: warnings count too. */
export function openapiProblems(document: string): Finding[] {
  const options = ['--config', join(projectRoot, 'redocly.yaml'), '--max-problems', '1000']
  const { problems } = lintReport.parse(askRedocly('lint', { 'openapi.json': document }, options))
  return problems.map(({ ruleId, message, location: [at] }) => ({
    ...{ id: `openapi/lint/${ruleId}/${at?.pointer ?? ''}`, severity: 'error', file },
    ...{ line: at?.start?.line, message: `${message} (${ruleId})` },
  }))
}
