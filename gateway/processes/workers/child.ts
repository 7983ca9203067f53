import type { Logger } from 'pino'
import type { Catalog } from '../../../schema/catalog/load-catalog.ts'
import type { Config } from '../../config/config.ts'
import { startProcess } from '../../launch/process/process-context.ts'
import { watchShutdown } from '../../launch/process/shutdown.ts'
import { linkToPrimary, type ProcessPort, type WorkerLink } from '../group/worker-link.ts'
import type { Purpose } from './fork.ts'
import { startJobsProcess } from './jobs-process.ts'
import { startWorkerProcess } from './worker-process.ts'

interface ChildOptions {
  readonly purpose: Purpose
  readonly config: Config
  readonly catalog: Catalog
  readonly log: Logger
  /** See `startJobsProcess`. */
  readonly announce: Parameters<typeof startJobsProcess>[1]['announce']
}

/** Runs one process of a gateway with workers until the primary ends it. */
export async function runChild(given: ChildOptions): Promise<void> {
  const { purpose, config, catalog, log, announce } = given
  const link = linkToPrimary({
    ...{ port: ownPort(), part: purpose.kind, workers: config.WORKERS, log },
  })
  const shutdown = watchShutdown(log, link)
  const options = { role: 'all', config, catalog, log, processGroup: link.processGroup }
  const starting = startProcess(options, (context) =>
    purpose.kind === 'jobs'
      ? startJobsProcess(context, { link, announce, ...purpose })
      : startWorkerProcess(context, link),
  )
  const close = await closeOf(starting, link)
  await shutdown.requested
  await shutdown.finish(close, config.DRAIN_TIMEOUT_SECONDS * 1000)
}

async function closeOf(
  starting: Promise<{ readonly close: () => Promise<void> }>,
  link: WorkerLink,
): Promise<() => Promise<void>> {
  try {
    return (await starting).close
  } catch (error) {
    // The gateway stops while this process waits for another one.
    if (link.hasEnded()) return async () => {}
    await link.fail(error)
    process.exit(1)
  }
}

function ownPort(): ProcessPort {
  return {
    send: (message) => void process.send?.(message),
    on: (event, listener) => process.on(event, listener),
  }
}
