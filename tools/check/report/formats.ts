import type { Break } from './finding.ts'
import { type Counts, countsOf, type Failure, type Report, type ReportedFinding } from './report.ts'

/** How a report can be written. */
export const formats = { text, json, github, markdown } as const

export type Format = keyof typeof formats

export function isFormat(name: string): name is Format {
  return Object.hasOwn(formats, name)
}

/** The report for people at a terminal: a finding, what it breaks, how it is acknowledged; then the sum. */
function text(report: Report): string {
  const lines = report.findings.flatMap((finding) => [
    `${placeOf(finding)}: ${labelOf(finding)}: ${finding.message}`,
    ...details(finding).map((line) => `    ${line}`),
  ])
  const notes = report.notes.map((note) => `note: ${note}`)
  const failures = report.failures.map(failureText)
  return [...lines, ...notes, ...failures, summary(report), ''].join('\n')
}

function failureText({ check, message }: Failure): string {
  return `not checked (${check}): ${message}`
}

function placeOf({ file, line }: ReportedFinding): string {
  return line === undefined ? file : `${file}:${line}`
}

function labelOf({ severity, acknowledgement }: ReportedFinding): string {
  return acknowledgement === null ? severity : `${severity}, acknowledged`
}

function details({ id, severity, breaks = [], acknowledgement }: ReportedFinding): string[] {
  const lines = breaks.map((row) => `breaks ${nameOf(row)}${callersOf(row)}`)
  if (acknowledgement) lines.push(`because ${acknowledgement.reason}`)
  else if (severity === 'breaking') lines.push(`intended? acknowledge ${id}`)
  return lines
}

/** Product operations are none of the graph. */
function nameOf({ operation }: Break): string {
  return operation === null ? '' : `${operation}: `
}

/** The most names that a line has: more say no more to a reader, and JSON has them all. */
const maxNames = 6

function atMost(names: readonly string[]): string {
  const shown = names.slice(0, maxNames).join(', ')
  return names.length > maxNames ? `${shown} and ${names.length - maxNames} more` : shown
}

function callersOf({ routes, gateway }: Break): string {
  const itself = gateway.length > 0 ? [`the gateway itself (${atMost(gateway)})`] : []
  const callers = [...(routes.length > 0 ? [atMost(routes)] : []), ...itself]
  return callers.join(', ') || 'nothing executes it'
}

function summary(report: Report): string {
  const { revision, commit } = report.base
  const since = `since ${revision} (${commit.slice(0, 8)})`
  const isWhole = report.failures.length === 0
  const rest = isWhole ? '' : `, ${report.failures.length} not checked`
  if (report.findings.length > 0 || !isWhole) {
    return `schema: ${sumOf(countsOf(report))}${rest} ${since}`
  }
  return `schema: ${report.fileCount} files fresh, nothing breaks ${since}`
}

function sumOf({ errors, breaking, dangerous, acknowledged }: Counts): string {
  return `${errors} errors, ${breaking} breaking, ${dangerous} dangerous, ${acknowledged} acknowledged`
}

/** The report for programs, which schema/README.md documents. Members are only ever added. */
function json(report: Report): string {
  const { base, notes, failures, findings, fileCount } = report
  const rows = findings.map(({ id, severity, file, line, message, breaks, acknowledgement }) => ({
    ...{ id, severity, file, line: line ?? null, message, breaks: breaks ?? [], acknowledgement },
  }))
  const counts = countsOf(report)
  const document = { base, file_count: fileCount, counts, notes, failures, findings: rows }
  return `${JSON.stringify(document, null, 2)}\n`
}

const commands = { error: 'error', breaking: 'error', dangerous: 'warning' } as const

/** Workflow commands of GitHub Actions: annotations of the lines that a pull request shows. */
function github(report: Report): string {
  const lines = report.findings.map((finding) => {
    const { file, line, message, acknowledgement, severity } = finding
    const command = acknowledgement ? 'notice' : commands[severity]
    const place = line === undefined ? { file } : { file, line }
    const properties = Object.entries({ ...place, title: labelOf(finding) })
    const where = properties.map(([name, value]) => `${name}=${escapeProperty(String(value))}`)
    return `::${command} ${where.join(',')}::${escapeData([message, ...details(finding)].join('\n'))}`
  })
  const notes = report.notes.map((note) => `::notice::${escapeData(note)}`)
  const failures = report.failures.map((one) => `::error::${escapeData(failureText(one))}`)
  return [...lines, ...notes, ...failures, summary(report), ''].join('\n')
}

function escapeData(value: string): string {
  return value.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
}

function escapeProperty(value: string): string {
  return escapeData(value).replaceAll(':', '%3A').replaceAll(',', '%2C')
}

/** The summary of a pull request. */
function markdown(report: Report): string {
  const { revision, commit } = report.base
  const rows = report.findings.map((finding) => {
    const breaks = (finding.breaks ?? []).map((row) => `${nameOf(row)}${callersOf(row)}`)
    const reason = finding.acknowledgement ? `: ${finding.acknowledgement.reason}` : ''
    const cells = [
      `${labelOf(finding)}${reason}`,
      `${finding.message} (\`${placeOf(finding)}\`)`,
      breaks.join('<br>'),
    ]
    return `| ${cells.map(escapeCell).join(' | ')} |`
  })
  const isWhole = report.failures.length === 0
  const table = ['| severity | finding | breaks |', '| --- | --- | --- |', ...rows, '']
  return [
    `### The contract since \`${revision}\` (${commit.slice(0, 8)})`,
    '',
    rows.length > 0 || !isWhole
      ? `**${sumOf(countsOf(report))}**`
      : `**Nothing breaks; ${report.fileCount} files fresh.**`,
    '',
    ...(rows.length > 0 ? table : []),
    ...report.notes.map((note) => `- ${note}`),
    ...report.failures.map((one) => `- **${failureText(one)}**`),
    '',
  ].join('\n')
}

function escapeCell(cell: string): string {
  return cell.replaceAll('\\', '\\\\').replaceAll('|', '\\|').replaceAll('\n', ' ')
}
