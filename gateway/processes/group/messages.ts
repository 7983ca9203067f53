import { z } from 'zod'
import { credentialNote } from '../../overload/known-credentials.ts'

/**
 * The messages between the processes of one gateway. A message is checked when it arrives, and no call
 * gets another name, because after an upgrade a new worker may have an old primary.
 */
export interface Call {
  readonly params: z.ZodType
  /** The form of the answer; null if the sender does not wait for one. */
  readonly answer: z.ZodType | null
}

/** A call whose sender waits for the answer. */
function asked<Params extends z.ZodType, Answer extends z.ZodType>(params: Params, answer: Answer) {
  return { params, answer }
}

/** A call without an answer. */
function told<Params extends z.ZodType>(params: Params) {
  return { params, answer: null }
}

const count = z.int().min(0)
const nothing = z.null()
const listener = z.enum(['live', 'sandbox', 'internal'])

/** The ports that the primary owns. */
export type ListenerName = z.infer<typeof listener>

const ports = z.object({ live: count, sandbox: count, internal: count })
export type Ports = z.infer<typeof ports>

const databaseUrls = z.object({
  serviceUrl: z.string(),
  workerUrl: z.string(),
  ownerUrl: z.string(),
})

/** The databases and the secret, as the process that has opened them passes them on. */
const passedStore = z.object({
  databases: z.array(z.tuple([z.string(), databaseUrls])),
  gatewaySecret: z.string(),
  isEmbedded: z.boolean(),
})
export type PassedStore = z.infer<typeof passedStore>

/** Metrics of a registry as JSON; the library that made them reads them. */
const metrics = z.array(z.looseObject({ name: z.string(), type: z.string() }))
export type MetricsJson = z.infer<typeof metrics>

const mails = z.array(
  z.object({
    ...{ id: z.string(), from: z.string(), to: z.string(), subject: z.string() },
    ...{
      text: z.string(),
      html: z.string(),
      unsubscribeUrl: z.nullable(z.string()),
      sentAt: z.string(),
    },
  }),
)

/** The account to forget; null stands for all accounts. */
const staleAccount = z.nullable(z.string())
const breaker = z.object({ module: z.string(), isOpen: z.boolean() })

/** Milliseconds that a process has spent, by account. */
const spent = z.array(z.tuple([z.string(), z.number()]))
const credentials = z.array(credentialNote)

const environment = z.enum(['live', 'sandbox'])
const backends = z
  .array(
    z.object({
      module: z.string(),
      status: z.enum(['up', 'down', 'timeout']),
      latency_ms: z.nullable(z.int()),
    }),
  )
  .readonly()

/** The calls from the processes to the primary. */
export const primaryCalls = {
  /** All shares that a worker needs after one turn of its event loop; see `Windows`. */
  takeWindows: asked(
    z.array(z.object({ key: z.string(), limit: count, want: count })),
    z.array(z.object({ from: count, count, clockMs: z.number() })),
  ),
  /** Counts one more in a minute, or only reads the count; see `MinuteLimit`. */
  countMinute: asked(
    z.object({ name: z.string(), perMinute: count, key: z.string(), isCounted: z.boolean() }),
    z.nullable(z.number()),
  ),
  /** The worker takes connections of this listener. */
  openDoor: told(listener),
  /** The worker takes no more connections. All earlier ones arrive before the answer. */
  leaveDoor: asked(listener, nothing),
  /** Connections that the process was handed have ended. */
  connectionsClosed: told(z.array(count)),
  /** The process has started. */
  ready: told(nothing),
  /** The reason why the process cannot serve at the moment. */
  problem: told(z.nullable(z.string())),
  /** A breaker of this process for a backend module has opened or closed. */
  breaker: told(breaker),
  /** The state of the backend modules; at most one process looks in a second. */
  findBackends: asked(environment, z.object({ backends, freshMs: z.number() })),
  /** The time that this process has spent on accounts, which the other processes have to know. */
  spent: told(spent),
  /** Makes all other processes forget an account. The answer is sent when they have. */
  forget: asked(staleAccount, nothing),
  /** Credentials that this process has accepted or refused, for the other workers. */
  noteCredentials: asked(credentials, nothing),
  /** The metrics of all processes. */
  collectMetrics: asked(nothing, z.array(metrics)),
  /** The mails that other processes keep. */
  collectMails: asked(nothing, mails),
  /** The last metrics of a process that ends. */
  lastMetrics: asked(metrics, nothing),
  /** The databases are open. */
  storeOpened: told(passedStore),
  /** The databases are migrated, and the open holds and charges of a dead gateway are settled. */
  databasesReady: told(z.object({ simulatorUrl: z.string() })),
  /** The text for the operator. */
  banner: told(z.string()),
  /** The start failed. */
  failed: asked(
    z.object({ name: z.string(), message: z.string(), code: z.string(), stack: z.string() }),
    nothing,
  ),
} satisfies Record<string, Call>

/** The calls from the primary to each process. */
export const childCalls = {
  /** The ports are open, and so are the databases. */
  begin: told(z.object({ store: z.nullable(passedStore), ports })),
  /** The databases can be used. */
  go: told(z.object({ simulatorUrl: z.string(), openBreakers: z.array(z.string()) })),
  /** The process has to end; `isReplaced`: another worker has its place. */
  end: told(z.object({ isReplaced: z.boolean() })),
  /** The reason why the gateway as a whole cannot serve. */
  problem: told(z.nullable(z.string())),
  /** The breaker of another worker has opened or closed. */
  breaker: told(breaker),
  /** This process asked first for the state of the backend modules, so it probes them for all workers. */
  probe: asked(environment, backends),
  /** The time that another process has spent on accounts. */
  spent: told(spent),
  forget: asked(staleAccount, nothing),
  /** Credentials that other workers have accepted or refused. */
  credentials: told(credentials),
  measure: asked(nothing, metrics),
  /** The mails that this process keeps. */
  showMails: asked(nothing, mails),
} satisfies Record<string, Call>

/** The message beside a handed socket, which is never part of a batch. */
export const handedConnection = z.object({ connection: count, listener })
export type HandedConnection = z.infer<typeof handedConnection>
