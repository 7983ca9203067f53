import type { Database, Statement } from '../../shared/database/database.ts'
import type { GatewayProcess, ProcessReportInput } from './process-report.type.ts'

/** A process reports every 15 seconds, so one that was silent for longer has ended or hangs. */
const silentAfter = `interval '60 s'`

/** The most processes that a list shows. */
const maxProcesses = 200

/** Reports of processes that have ended are of no use, so each report removes them. */
const keepReport: Statement = {
  name: 'keep-process-report',
  text: `
    WITH ended AS (DELETE FROM account.process_report WHERE seen_at < now() - interval '1 h' AND id <> $1)
    INSERT INTO account.process_report (id, role, version, started_at, report) VALUES ($1, $2, $3, $4, $5)
    ON CONFLICT (id) DO UPDATE SET report = excluded.report, seen_at = now()`,
}

export async function reportProcess(
  database: Database,
  { id, role, version, startedAt, report }: ProcessReportInput,
): Promise<void> {
  await database.query(keepReport, [id, role, version, startedAt, JSON.stringify(report)])
}

const livingProcesses: Statement = {
  name: 'living-processes',
  text: `SELECT id, role, version, started_at AS "startedAt", seen_at AS "seenAt", report
    FROM account.process_report WHERE seen_at > now() - ${silentAfter}
    ORDER BY role, started_at, id LIMIT ${maxProcesses}`,
}

interface ReportRow
  extends Pick<GatewayProcess, 'id' | 'role' | 'version' | 'startedAt' | 'seenAt'> {
  /** Of a process that may run another version: it may lack members. */
  readonly report: Partial<GatewayProcess>
}

/** The processes that have reported within a minute. */
export async function gatewayProcesses(database: Database): Promise<GatewayProcess[]> {
  const rows = await database.query<ReportRow>(livingProcesses, [])
  return rows.map(({ report, ...process }) => ({
    ...{ overloadRefusals: 0, modules: [], queues: [], deadJobs: null, books: null },
    ...report,
    ...process,
  }))
}
