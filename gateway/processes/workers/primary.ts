import type { Logger } from 'pino'
import { orNullAfter } from '../../../rest-facade/charge/batching/or-null-after.ts'
import type { Environment } from '../../../schema/credentials/caller.ts'
import type { Config } from '../../config/config.ts'
import { openConnectionLimit } from '../../launch/parts/listeners.ts'
import { startOrClose } from '../../launch/process/process-context.ts'
import { stopPatienceMs } from '../../launch/process/shutdown.ts'
import { createMetrics, type Metrics } from '../../observability/metrics.ts'
import { createCredentialMemory } from '../../overload/known-credentials.ts'
import type { KeptMail } from '../../trial/mailbox/mailbox.ts'
import { createBreakerOwners } from '../group/breaker-owners.ts'
import type { ListenerName, PassedStore, Ports } from '../group/messages.ts'
import { createMetricsHistory, jsonOf } from '../group/metrics-sum.ts'
import { createMinuteCounts } from '../group/minute-counts.ts'
import { openPublicSocket, type PublicSocket } from '../group/public-sockets.ts'
import { findNow, keepFindings, probeTimeoutMs } from '../group/shared-probes.ts'
import { createWindows } from '../group/window-shares.ts'
import { keepChildren } from '../group/workers.ts'
import { type ForkedChild, forkChild, type PrimaryHandlers, type Purpose } from './fork.ts'

export interface RunningPrimary {
  /** The text for the operator. */
  readonly banner: string
  /** The longest time of a stop: the process for jobs ends after the workers. */
  readonly drainMs: number
  /** Makes all processes finish their work. */
  readonly close: () => Promise<void>
}

interface PrimaryOptions {
  readonly config: Config
  readonly log: Logger
}

/** A child process has reported why it could not start. */
class StartFailed extends Error {
  override readonly name: string
  readonly code: string

  constructor({ name, message, code, stack }: Parameters<PrimaryHandlers['failed']>[0]) {
    super(message)
    this.name = name
    this.stack = stack
    this.code = code
  }
}

/** The time that the primary waits for one process on behalf of another. */
const answerPatienceMs = 1000
/** A child that needs longer than this beyond its own time for a stop has hung. */
const killAfterMs = 2000

/**
 * Starts a gateway of several processes. This process owns the ports and keeps the counts that all
 * workers share. It serves nothing itself, and it loads neither the subgraphs nor the API.
 */
export function startPrimary({ config, log }: PrimaryOptions): Promise<RunningPrimary> {
  return startOrClose(log, async (resources) => {
    const metrics = createMetrics()
    resources.defer(() => metrics.close())
    const children = createChildren(config, metrics, log)
    resources.defer(() => children.stop())
    const begun = children.start()

    const store = await begun.storeOpened
    const sockets = await openSockets({ config, log, metrics, resources })
    // The ports must stay open until the workers want no more connections.
    resources.defer(() => children.stop())
    children.begin(sockets, store)
    await begun.ready
    const onHangUp = () => void children.replaceWorkers()
    process.on('SIGHUP', onHangUp)
    resources.defer(() => void process.off('SIGHUP', onHangUp))
    return { banner: begun.banner(), drainMs: 2 * childPatienceMs(config) + killAfterMs }
  })
}

function childPatienceMs({ DRAIN_TIMEOUT_SECONDS }: Config): number {
  return stopPatienceMs(DRAIN_TIMEOUT_SECONDS * 1000) + killAfterMs
}

type Sockets = ReadonlyMap<ListenerName, PublicSocket>

/** Opens the public ports. Like a gateway of one process, it fails when another process has a port. */
async function openSockets(context: Parameters<typeof openConnectionLimit>[0]): Promise<Sockets> {
  const { config, resources } = context
  const { HOST, INTERNAL_HOST } = config
  const sockets = new Map<ListenerName, PublicSocket>()
  let connections = 0
  const nextConnection = () => {
    connections += 1
    return connections
  }
  resources.defer(() => {
    for (const socket of sockets.values()) socket.close()
  })
  const open = async (listener: ListenerName, host: string, port: number) => {
    const connectionLimit = listener === 'internal' ? null : openConnectionLimit(context, listener)
    sockets.set(
      listener,
      await openPublicSocket({ ...{ listener, host, port }, connectionLimit, nextConnection }),
    )
  }
  await open('live', HOST, config.PORT)
  await open('sandbox', HOST, config.SANDBOX_PORT)
  await open('internal', INTERNAL_HOST, config.INTERNAL_PORT)
  return sockets
}

/** All processes of the gateway, and the services of the primary for them. */
// oxlint-disable-next-line max-lines-per-function -- its short functions share what the primary knows of its workers.
function createChildren(config: Config, metrics: Metrics, log: Logger) {
  const windows = createWindows()
  const countMinute = createMinuteCounts()
  const findings = { live: keepFindings(), sandbox: keepFindings() }
  const history = createMetricsHistory()
  const running = new Map<number, ForkedChild>()
  const problems = new Map<number, string>()
  const storeOpened = Promise.withResolvers<PassedStore>()
  const breakers = createBreakerOwners({
    workers: () => running.keys(),
    tell: (worker, module, isOpen) =>
      running.get(worker)?.channel.tell('breaker', { module, isOpen }),
  })
  const credentials = createCredentialMemory()
  let sockets: Sockets = new Map()
  let store: PassedStore | null = null
  let simulatorUrl: string | null = null
  let banner = ''
  let failure: Error | null = null
  let stopping: Promise<void> | null = null
  let problem: string | null = 'The gateway is starting.'
  let workers: ReturnType<typeof keepChildren> | null = null
  let jobs: ReturnType<typeof keepChildren> | null = null

  function fork(purpose: Purpose): ForkedChild {
    const child = forkChild({ purpose, log, handlersFor, onReady: tellProblem })
    running.set(child.id, child)
    void child.ended.then(() => forget(child))
    tellBegin(child)
    tellGo(child)
    child.channel.tell('problem', problem)
    if (purpose.kind === 'worker') child.channel.tell('credentials', credentials.all())
    return child
  }

  function forget({ id }: ForkedChild): void {
    running.delete(id)
    problems.delete(id)
    for (const socket of sockets.values()) socket.drop(id)
    breakers.release(id)
    void history.end(id)
    tellProblem()
  }

  function portsOf(): Ports {
    const portOf = (name: ListenerName) => sockets.get(name)?.port ?? 0
    return { live: portOf('live'), sandbox: portOf('sandbox'), internal: portOf('internal') }
  }

  function tellBegin({ channel }: ForkedChild): void {
    if (sockets.size > 0) channel.tell('begin', { store, ports: portsOf() })
  }

  function tellGo({ id, channel }: ForkedChild): void {
    if (simulatorUrl === null) return
    channel.tell('go', { simulatorUrl, openBreakers: breakers.openElsewhere(id) })
  }

  function currentProblem(): string | null {
    if (!workers?.areReady() || !jobs?.areReady()) return 'The gateway is starting.'
    const [first = null] = problems.values()
    return first
  }

  /** A gateway is ready when all its processes are ready. */
  function tellProblem(): void {
    const now = currentProblem()
    if (now === problem) return
    problem = now
    for (const { channel } of running.values()) channel.tell('problem', now)
  }

  async function askOthers<Answer>(
    from: ForkedChild | null,
    ask: (child: ForkedChild) => Promise<Answer>,
  ): Promise<void> {
    const others = [...running.values()].filter((child) => child !== from)
    // A process that ends or hangs must not delay the others.
    await Promise.all(
      others.map((child) =>
        orNullAfter(
          answerPatienceMs,
          ask(child).catch(() => null),
        ),
      ),
    )
  }

  /** A worker that hangs must not keep the others from the state of the modules. */
  async function probeBy({ channel }: ForkedChild, environment: Environment) {
    const patienceMs = probeTimeoutMs + answerPatienceMs
    const backends = await orNullAfter(patienceMs, channel.ask('probe', environment))
    if (!backends) throw new Error('A worker does not answer with the state of the modules.')
    return backends
  }

  function handlersFor(child: ForkedChild): PrimaryHandlers {
    const { id } = child
    return {
      takeWindows: (asks) => asks.map(windows.take),
      countMinute,
      openDoor: (listener) => sockets.get(listener)?.add(child),
      leaveDoor(listener) {
        const socket = sockets.get(listener)
        if (stopping) socket?.close()
        socket?.leave(id)
        return null
      },
      connectionsClosed(ended) {
        for (const socket of sockets.values()) socket.ended(ended)
      },
      problem(told) {
        if (told === null) problems.delete(id)
        else problems.set(id, told)
        tellProblem()
      },
      breaker: ({ module, isOpen }) => breakers.note(id, module, isOpen),
      findBackends: async (environment) =>
        findings[environment](() => findNow(() => probeBy(child, environment))),
      spent(told) {
        for (const other of running.values()) if (other !== child) other.channel.tell('spent', told)
      },
      async forget(accountId) {
        await askOthers(child, (other) => other.channel.ask('forget', accountId))
        return null
      },
      noteCredentials(notes) {
        for (const note of notes) credentials.note(note)
        for (const other of running.values())
          if (other !== child && other.kind === 'worker') other.channel.tell('credentials', notes)
        return null
      },
      async collectMetrics() {
        await askOthers(null, async (other) => {
          history.note(other.id, await other.channel.ask('measure', null))
        })
        return [...history.all(), await jsonOf(metrics.registry)]
      },
      async collectMails() {
        const all: KeptMail[] = []
        await askOthers(child, async (other) => {
          all.push(...(await other.channel.ask('showMails', null)))
        })
        return all
      },
      lastMetrics(last) {
        history.note(id, last)
        return null
      },
      storeOpened(opened) {
        store = opened
        storeOpened.resolve(opened)
      },
      databasesReady(ready) {
        simulatorUrl = ready.simulatorUrl
        for (const other of running.values()) tellGo(other)
      },
      banner(text) {
        banner = text
      },
      failed(told) {
        failure ??= new StartFailed(told)
        return null
      },
    }
  }

  function jobsPurpose(): Purpose {
    const [[, urls] = []] = store?.isEmbedded ? store.databases : []
    const portOf = (url: string | undefined) => (url ? Number(new URL(url).port) : null)
    return {
      kind: 'jobs',
      postgresPort: portOf(urls?.serviceUrl),
      simulatorPort: portOf(simulatorUrl ?? undefined),
    }
  }

  return {
    start() {
      const startedJobs = keepChildren({
        ...{ name: 'process for jobs', count: 1, log },
        start: () => fork(jobsPurpose()),
      })
      const startedWorkers = keepChildren({
        ...{ name: 'worker', count: config.WORKERS, log },
        start: () => fork({ kind: 'worker' }),
      })
      jobs = startedJobs
      workers = startedWorkers
      const ready = Promise.all([startedJobs.started, startedWorkers.started]).catch((error) => {
        throw failure ?? error
      })
      const failed = ready.then(() => storeOpened.promise)
      return {
        storeOpened: Promise.race([storeOpened.promise, failed]),
        ready,
        banner: () => banner,
      }
    },
    begin(opened: Sockets, passed: PassedStore) {
      sockets = opened
      store = passed
      for (const child of running.values()) tellBegin(child)
    },
    async replaceWorkers() {
      if (!stopping) await workers?.replace()
    },
    stop() {
      stopping ??= stop()
      return stopping
    },
  }

  async function stop(): Promise<void> {
    const patienceMs = childPatienceMs(config)
    const areDone = (await workers?.stop(patienceMs)) ?? true
    // The process for jobs ends last, because it may have the embedded database.
    const isDone = (await jobs?.stop(patienceMs)) ?? true
    if (!areDone || !isDone) process.exitCode = 1
  }
}
