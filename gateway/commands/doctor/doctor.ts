import { loadCatalog } from '../../../schema/catalog/load-catalog.ts'
import { inspectConfig } from '../../config/config.ts'
import { type Finding, isProblem, levels } from './finding.ts'
import { invoiceFindings } from './invoice-findings.ts'
import { serviceFindings } from './service-findings.ts'
import { refusedFindings, settingsFindings } from './settings-findings.ts'

interface DoctorOptions {
  readonly json?: boolean
}

/**
 * Lists the configured, missing and unsafe settings of a role; the command fails on a problem. It
 * changes nothing, starts nothing, and waits for each probe for two seconds at most.
 */
export async function runDoctor(role: string, { json }: DoctorOptions): Promise<void> {
  const findings = await diagnose(process.env, role)
  const status = statusOf(findings)
  process.stdout.write(
    json ? `${JSON.stringify({ status, findings })}\n` : textOf(findings, status),
  )
  if (status !== 'fine') process.exitCode = 1
}

/** Unsafe settings take precedence over missing ones. */
function statusOf(findings: readonly Finding[]): 'unsafe' | 'missing' | 'fine' {
  if (findings.some(({ level }) => level === 'unsafe')) return 'unsafe'
  return findings.some(isProblem) ? 'missing' : 'fine'
}

async function diagnose(
  variables: Readonly<Record<string, string | undefined>>,
  role: string,
): Promise<readonly Finding[]> {
  const modules = loadCatalog().services.map(({ backendModule }) => backendModule)
  const inspected = inspectConfig(variables, modules, role)
  const isGiven = (name: string) => Boolean(variables[name] || variables[`${name}_FILE`])
  const findings = [
    ...refusedFindings(inspected),
    ...settingsFindings(inspected.known, role, isGiven),
    ...(await invoiceFindings(inspected.known, role)),
    ...(await serviceFindings(inspected.known, role, modules)),
  ]
  const rank = ({ level }: Finding) => levels.indexOf(level)
  return findings.toSorted((a, b) => rank(a) - rank(b) || a.about.localeCompare(b.about))
}

function textOf(findings: readonly Finding[], status: string): string {
  const lines = findings.map(
    ({ level, about, message }) => `${level.padEnd(7)} ${about}: ${message}`,
  )
  return [...lines, `status: ${status}`, ''].join('\n')
}
