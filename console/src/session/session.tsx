import { useQuery } from '@tanstack/react-query'
import { type CurrentSession, GatewayError } from 'credit-gateway-sdk'
import { createContext, type ReactNode, useContext, useEffect, useState } from 'react'
import { gateway, heartbeatMs, queries } from '../api.ts'
import { sessionEnds } from '../gate.ts'

export interface Session extends CurrentSession {
  /** Whether the session holds a scope. */
  readonly can: (scope: string) => boolean
  /** Ends the session and forgets everything that this page has read. */
  readonly signOut: () => Promise<void>
  /** The gateway did not answer the last time; what is shown is older. */
  readonly isAway: boolean
}

const SessionContext = createContext<Session | null>(null)

/** Who is signed in. Only screens of somebody who is signed in may ask. */
export function useSession(): Session {
  const session = useContext(SessionContext)
  if (!session) throw new Error('Nobody is signed in.')
  return session
}

const sessionKey = ['session']

/** Null: nobody is signed in. */
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

/** Asks again who is signed in, for example after a sign-in. */
export function renewSession(): Promise<void> {
  return queries.invalidateQueries({ queryKey: sessionKey })
}

interface SessionGateProps {
  readonly children: ReactNode
  /** What is shown to somebody who is not signed in. */
  readonly door: (hasEnded: boolean) => ReactNode
  /** What is shown until it is known who is signed in. */
  readonly waiting: (problem: Error | null, again: () => void) => ReactNode
}

/** Shows its children while somebody is signed in, and the door otherwise. */
export function SessionGate({ children, door, waiting }: SessionGateProps) {
  const [hadSession, setHadSession] = useState(false)
  const { data, error, refetch } = useQuery({
    queryKey: sessionKey,
    queryFn: ({ signal }) => readSession(signal),
    refetchInterval: ({ state }) => (state.data ? heartbeatMs : false),
    staleTime: 0,
  })
  const isIn = data !== undefined && data !== null
  const owner = isIn ? `${data.account_id} ${data.id}` : null

  useEffect(() => {
    const onEnd = () => {
      // Who has not been signed in has nothing that could end.
      if (queries.getQueryData(sessionKey)) queries.setQueryData(sessionKey, null)
    }
    sessionEnds.addEventListener('ended', onEnd)
    return () => sessionEnds.removeEventListener('ended', onEnd)
  }, [])

  // What one session has read is nothing for the next one.
  useEffect(() => {
    if (owner !== null) setHadSession(true)
    return () => {
      if (owner !== null) forgetEverything()
    }
  }, [owner])

  // What was read before the gateway went away is read again when it is back.
  const isAway = isIn && error !== null
  useEffect(() => {
    if (!isAway) return
    return () => {
      void queries.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'session' })
    }
  }, [isAway])

  if (data === undefined) return waiting(error, () => void refetch())
  if (data === null) return door(hadSession)
  const session: Session = {
    ...data,
    isAway,
    can: (scope) => data.scopes.includes(scope) || data.scopes.includes('*'),
    signOut,
  }
  return <SessionContext value={session}>{children}</SessionContext>
}

function forgetEverything(): void {
  const predicate = ({ queryKey }: { queryKey: readonly unknown[] }) => queryKey[0] !== 'session'
  void queries.cancelQueries({ predicate })
  queries.removeQueries({ predicate })
}

/** A new document begins, so that nothing of the old one can come back. */
async function signOut(): Promise<void> {
  await gateway.oauth.endSession().catch((error: unknown) => {
    if (!isRefusedAs(error, 401)) throw error
  })
  location.replace(location.pathname)
}
