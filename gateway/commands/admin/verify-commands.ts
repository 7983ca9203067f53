import { findLogDrifts, type LogDrift } from '../../books/compare-with-ledger.ts'
import { type AuditBreak, verifyAuditChains } from '../../books/verify-audit-chains.ts'
import type { Config } from '../../config/config.ts'
import { execute, type Output, print, withGraph } from './ask-database.ts'

/** Verifies the ledger, and the usage log against it; the command fails on a difference. */
export async function verifyLedger(
  config: Config,
  { json, settlingTime }: Output & { settlingTime: number },
): Promise<void> {
  const { entries, balances, drifts } = await withGraph(config, async (ask) => {
    const audit = await ask('AuditLedger', {})
    // The comparison begins where the log begins: of earlier months only the ledger has entries.
    const since = await ask('GetUsageLogKeptSince', {})
    const fromMs = since === null ? 0 : Date.parse(since)
    const ofLog = await findLogDrifts(ask, { fromMs, settlingSeconds: settlingTime })
    return { ...audit, drifts: [...audit.drifts, ...ofLog.map(toLogDriftRow)] }
  })
  if (json) print({ entries, balances, drifts }, { json })
  else {
    for (const drift of drifts) print(drift, {})
    print({ entries, balances, drifts: drifts.length }, {})
  }
  if (drifts.length > 0) process.exitCode = 1
}

function toLogDriftRow({ accountId, requestId, ...drift }: LogDrift): Record<string, unknown> {
  return { account_id: accountId, request_id: requestId, ...drift }
}

/** The most broken places in an answer as JSON; the text has all of them. */
const maxBreaks = 1000

/** Verifies every chain of the audit trail; the command fails if one is broken. */
export async function verifyAudit(config: Config, { json }: Output): Promise<void> {
  const breaks: AuditBreak[] = []
  let broken = 0
  const { chains, events, heads } = await withGraph(config, (ask) =>
    verifyAuditChains(ask, (found) => {
      broken += 1
      if (!json) print(found, {})
      else if (broken <= maxBreaks) breaks.push(found)
    }),
  )
  print({ chains, events, broken, ...(json && { breaks, heads }) }, { json })
  if (broken > 0) process.exitCode = 1
}

/** Sums the usage log again; the command fails if its stored sums differ. */
export async function verifyUsage(config: Config, { json }: Output): Promise<void> {
  const { entries, drifts } = await execute(config, 'AuditUsage', {})
  if (json) print({ entries, drifts }, { json })
  else {
    for (const drift of drifts) print(drift, {})
    print({ entries, drifts: drifts.length }, {})
  }
  if (drifts.length > 0) process.exitCode = 1
}
