import { useQuery } from '@tanstack/react-query'
import { createContext, type ReactNode, useContext, useEffect, useState } from 'react'
import { sessionEnds } from '../../../src/gate.ts'
import { root } from '../../../src/place.ts'
import { ask, isRefusedAs, type Me, queries } from '../api.ts'

const OperatorContext = createContext<Me | null>(null)

/** The operator who is signed in. Only components inside of `SessionGate` may call this. */
export function useOperator(): Me {
  const me = useContext(OperatorContext)
  if (!me) throw new Error('Nobody is signed in.')
  return me
}

const sessionKey = ['Me']

/** Null: nobody is signed in. */
async function readMe(signal: AbortSignal): Promise<Me | null> {
  try {
    return await ask('Me', {}, { signal })
  } catch (error) {
    if (isRefusedAs(error, 401)) return null
    throw error
  }
}

/** The operator of this browser, and whether that is known. */
export function useMe() {
  return useQuery({
    queryKey: sessionKey,
    queryFn: ({ signal }) => readMe(signal),
    // A page that nobody uses must not keep its session alive: nothing asks periodically.
    staleTime: 30_000,
  })
}

interface SessionGateProps {
  readonly children: ReactNode
  /** The page for people who are not signed in. */
  readonly door: (hasEnded: boolean) => ReactNode
  /** The page until the session is known. */
  readonly waiting: (problem: Error | null, again: () => void) => ReactNode
}

/** Shows its children to an operator who is signed in, and the door to others. */
export function SessionGate({ children, door, waiting }: SessionGateProps) {
  const [hadSession, setHadSession] = useState(false)
  const { data, error, refetch } = useMe()
  const isIn = data !== undefined && data !== null

  useEffect(() => {
    const onEnd = () => {
      if (!queries.getQueryData(sessionKey)) return
      queries.setQueryData(sessionKey, null)
      forgetEverything()
    }
    sessionEnds.addEventListener('ended', onEnd)
    return () => sessionEnds.removeEventListener('ended', onEnd)
  }, [])
  useEffect(() => {
    if (isIn) setHadSession(true)
  }, [isIn])

  if (data === undefined) return waiting(error, () => void refetch())
  if (data === null) return door(hadSession)
  return <OperatorContext value={data}>{children}</OperatorContext>
}

function forgetEverything(): void {
  queries.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== sessionKey[0] })
}

/** Signs out, and loads a new document, so that nothing of the old one remains. */
export async function signOut(): Promise<void> {
  await ask('SignOut', {}).catch((error: unknown) => {
    if (!isRefusedAs(error, 401)) throw error
  })
  location.replace(root.pathname.replace(/\/$/, ''))
}
