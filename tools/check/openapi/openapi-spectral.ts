import spectral from '@stoplight/spectral-core'
import parsers from '@stoplight/spectral-parsers'
import rulesets from '@stoplight/spectral-rulesets'
import type { Finding } from '../report/finding.ts'

const file = 'schema/generated/openapi.json'

/** Findings by document: the rules take seconds, and a process asks of one document several times. */
const answers = new Map<string, Promise<Finding[]>>()

/**
 * Spectral's rules for OpenAPI, without one. Redocly compares examples with their schemas too, and does not
 * compile every schema for it, which takes Spectral longer than all its other rules. A test runs all rules,
 * because Redocly leaves out the examples of headers.
 */
const ruleset = {
  extends: [[rulesets.oas, 'recommended']],
  rules: { 'oas3-valid-media-example': 'off' },
}

/** Spectral's findings about the document, by its own rules for OpenAPI: warnings count too. */
export function spectralProblems(document: string): Promise<Finding[]> {
  const known = answers.get(document)
  if (known) return known
  const asked = askSpectral(document)
  answers.set(document, asked)
  return asked
}

async function askSpectral(text: string): Promise<Finding[]> {
  const linter = new spectral.Spectral()
  // The declared types of the rules say of a severity only that it is a text.
  linter.setRuleset(Object(ruleset))
  const problems = await linter.run(new spectral.Document(text, parsers.Json, file))
  return problems.map(({ code, message, path, range }) => ({
    id: `openapi/spectral/${code}/#/${path.map(escaped).join('/')}`,
    severity: 'error',
    file,
    line: range.start.line + 1,
    message: `${message} (Spectral: ${code})`,
  }))
}

/** A part of a path as a JSON pointer writes it. */
function escaped(part: string | number): string {
  return String(part).replaceAll('~', '~0').replaceAll('/', '~1')
}
