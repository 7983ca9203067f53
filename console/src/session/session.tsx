import { useQuery } from '@tanstack/react-query'
import { AccountSuspendedError, type CurrentSession, GatewayError } from 'credit-gateway-sdk'
import { createContext, type ReactNode, useContext, useEffect, useState } from 'react'
import { gateway, heartbeatMs, queries } from '../api.ts'
import { sessionEnds } from '../gate.ts'

export interface Session extends CurrentSession {
  /** Whether the session holds a scope. */
  readonly can: (scope: string) => boolean
  /** Ends the session and forgets everything that this page has read. */
  readonly signOut: () => Promise<void>
  /** The gateway did not answer the last request, so the shown data is older. */
  readonly isUnavailable: boolean
}

const SessionContext = createContext<Session | null>(null)

/** The session. Only components inside of `SessionGate` may call this. */
export function useSession(): Session {
  const session = useContext(SessionContext)
  if (!session) throw new Error('Nobody is signed in.')
  return session
}

const sessionKey = ['session']

/** The session of the browser; null: nobody is signed in. */
async function readSession(signal: AbortSignal): Promise<CurrentSession | null> {
  try {
    const { data } = await gateway.account.getCurrentSession({}, { signal, maxRetries: 1 })
    return data
  } catch (error) {
    if (isRefusedAs(error, 401)) return null
    throw error
  }
}

/** Whether the API has refused with this status. */
export function isRefusedAs(error: unknown, status: number): error is GatewayError {
  return error instanceof GatewayError && error.status === status
}

/** Reads the session again, for example after a sign-in. */
export function renewSession(): Promise<void> {
  return queries.invalidateQueries({ queryKey: sessionKey })
}

interface SessionGateProps {
  readonly children: ReactNode
  /** The page for people who are not signed in. */
  readonly door: (hasEnded: boolean) => ReactNode
  /** The page for people whose account is suspended. */
  readonly suspended: (contact: string | null) => ReactNode
  /** The page until the session is known. */
  readonly waiting: (problem: Error | null, again: () => void) => ReactNode
}

/** Shows its children to people who are signed in, and the door to others. */
export function SessionGate({ children, door, suspended, waiting }: SessionGateProps) {
  const [hadSession, setHadSession] = useState(false)
  const { data, error, refetch } = useQuery({
    queryKey: sessionKey,
    queryFn: ({ signal }) => readSession(signal),
    // Asks again and again, also while the gateway has not answered yet. Without a session there is nothing
    // to watch.
    refetchInterval: ({ state }) => (state.data === null ? false : heartbeatMs),
    staleTime: 0,
  })
  const isIn = data !== undefined && data !== null
  const owner = isIn ? `${data.account_id} ${data.id}` : null

  useEffect(() => {
    const onEnd = () => {
      // Only an open session can end.
      if (queries.getQueryData(sessionKey)) queries.setQueryData(sessionKey, null)
    }
    sessionEnds.addEventListener('ended', onEnd)
    return () => sessionEnds.removeEventListener('ended', onEnd)
  }, [])

  // The data of one session must not stay for the next one.
  useEffect(() => {
    if (owner !== null) setHadSession(true)
    return () => {
      if (owner !== null) forgetEverything()
    }
  }, [owner])

  // Data from before an outage of the gateway is read again after it.
  const isUnavailable = isIn && error !== null
  useEffect(() => {
    if (!isUnavailable) return
    return () => {
      void queries.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'session' })
    }
  }, [isUnavailable])

  if (error instanceof AccountSuspendedError) return suspended(error.contact)
  if (data === undefined) return waiting(error, () => void refetch())
  if (data === null) return door(hadSession)
  const session: Session = {
    ...data,
    isUnavailable,
    // `*` of a role covers it, that of a key does not.
    can: (scope) =>
      data.scopes.includes(scope) ||
      (data.scopes.includes('*') && (scope !== 'members:write' || data.role !== null)),
    signOut,
  }
  return <SessionContext value={session}>{children}</SessionContext>
}

function forgetEverything(): void {
  const predicate = ({ queryKey }: { queryKey: readonly unknown[] }) => queryKey[0] !== 'session'
  void queries.cancelQueries({ predicate })
  queries.removeQueries({ predicate })
}

/** Signs out, and loads a new document, so that nothing of the old one remains. */
export async function signOut(): Promise<void> {
  await gateway.oauth.endSession().catch((error: unknown) => {
    if (!isRefusedAs(error, 401)) throw error
  })
  location.replace(location.pathname)
}
