import type { Logger } from 'pino'
import type { Catalog } from '../../../schema/catalog/load-catalog.ts'
import type { Config } from '../../config/config.ts'
import { createMetrics, type Metrics } from '../../observability/metrics.ts'
import { alone, type ProcessGroup } from '../../processes/group/process-group.ts'
import { createMailbox, type Mailbox } from '../../trial/mailbox/mailbox.ts'
import { startTracing } from './tracing.ts'

export interface ProcessOptions {
  readonly role: string
  readonly config: Config
  readonly catalog: Catalog
  readonly log: Logger
  /** Everything that the process shares with others of its gateway; nothing by default. */
  readonly processGroup?: ProcessGroup
  /** Whether the process prepares itself for its first calls, as always but in tests. */
  readonly warmsUp?: boolean
}

/** One process of the gateway, as its parts see it. */
export interface ProcessContext extends ProcessOptions {
  readonly metrics: Metrics
  readonly processGroup: ProcessGroup
  readonly warmsUp: boolean
  /** The mails of this process, if no mail server takes them. */
  readonly mailbox: Mailbox
  /**
   * Closes what the parts of this process have opened: a part defers the closing of everything that
   * it opens.
   */
  readonly resources: AsyncDisposableStack
}

interface Running {
  /** Closes everything that the process has opened, in reverse order. */
  readonly close: () => Promise<void>
}

/**
 * Starts a process: the all-in-one process, or one role. A start that fails closes what it has
 * opened.
 */
export async function startProcess<Started extends object>(
  options: ProcessOptions,
  start: (context: ProcessContext) => Promise<Started>,
): Promise<Started & Running> {
  const { role, config, log, processGroup = alone, warmsUp = true } = options
  return startOrClose(log, async (resources) => {
    const metrics = createMetrics()
    resources.defer(() => metrics.close())
    resources.defer(await startTracing(role, config, { log, metrics }))
    const mailbox = createMailbox()
    processGroup.showMails(() => mailbox.list())
    return start({ ...options, metrics, processGroup, warmsUp, mailbox, resources })
  })
}

/** Starts something with its own resources. A start that fails closes what it has opened. */
export async function startOrClose<Started extends object>(
  log: Logger,
  start: (resources: AsyncDisposableStack) => Promise<Started>,
): Promise<Started & Running> {
  const resources = new Resources(log)
  try {
    const started = await start(resources)
    return { ...started, close: () => resources.disposeAsync() }
  } catch (error) {
    await resources.disposeAsync()
    throw error
  }
}

/**
 * Resources that log an error of a closing and go on. They do not collect errors until the end,
 * because a process that cannot close everything in time is ended before.
 */
class Resources extends AsyncDisposableStack {
  readonly #log: Logger

  constructor(log: Logger) {
    super()
    this.#log = log
  }

  override defer(close: () => PromiseLike<void> | void): void {
    super.defer(async () => {
      try {
        await close()
      } catch (error) {
        this.#log.error({ err: error }, 'A part did not stop properly')
      }
    })
  }
}
