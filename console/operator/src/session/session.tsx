import { useQuery } from '@tanstack/react-query'
import { createContext, type ReactNode, useContext, useEffect, useState } from 'react'
import { sessionEnds } from '../../../src/gate.ts'
import { root } from '../../../src/place.ts'
import {
  ask,
  isRefusedAs,
  type Me,
  ProofRequiredError,
  queries,
  type SignInMethod,
} from '../api.ts'

const OperatorContext = createContext<Me | null>(null)

/** The operator who is signed in. Only components inside of `SessionGate` may call this. */
export function useOperator(): Me {
  const me = useContext(OperatorContext)
  if (!me) throw new Error('Nobody is signed in.')
  return me
}

const sessionKey = ['Me']

interface Who {
  /** Null: nobody is signed in. */
  readonly me: Me | null
  readonly methods: readonly SignInMethod[]
}

async function readMe(signal: AbortSignal): Promise<Who> {
  try {
    const me = await ask('Me', {}, { signal })
    return { me, methods: me.signInMethods }
  } catch (error) {
    if (!isRefusedAs(error, 401)) throw error
    return { me: null, methods: error instanceof ProofRequiredError ? error.methods : [] }
  }
}

/** The operator of this browser, and how operators can sign in. */
function useMe() {
  return useQuery({
    queryKey: sessionKey,
    queryFn: ({ signal }) => readMe(signal),
    staleTime: 30_000,
  })
}

interface SessionGateProps {
  readonly children: ReactNode
  /** The page for people who are not signed in. */
  readonly door: (methods: readonly SignInMethod[], hasEnded: boolean) => ReactNode
  /** The page until the session is known. */
  readonly waiting: (problem: Error | null, again: () => void) => ReactNode
}

/** Shows its children to an operator who is signed in, and the door to others. */
export function SessionGate({ children, door, waiting }: SessionGateProps) {
  const [hadSession, setHadSession] = useState(false)
  const { data, error, refetch } = useMe()
  const name = data?.me?.name ?? null

  useEffect(() => {
    const onEnd = () => {
      // Only an open session can end.
      if (queries.getQueryData<Who>(sessionKey)?.me) void renewMe()
    }
    sessionEnds.addEventListener('ended', onEnd)
    return () => sessionEnds.removeEventListener('ended', onEnd)
  }, [])
  // The data of one session must not stay for the next one.
  useEffect(() => {
    if (name === null) return
    setHadSession(true)
    return forgetEverything
  }, [name])

  if (!data) return waiting(error, () => void refetch())
  if (!data.me) return door(data.methods, hadSession)
  return <OperatorContext value={data.me}>{children}</OperatorContext>
}

/** Reads again who is signed in. */
export function renewMe(): Promise<void> {
  return queries.invalidateQueries({ queryKey: sessionKey })
}

function forgetEverything(): void {
  queries.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== sessionKey[0] })
}

/** Signs out, at the issuer too, and loads a new document, so that nothing of the old one remains. */
export async function signOut(): Promise<void> {
  const done = await ask('SignOut', {}).catch((error: unknown) => {
    if (!isRefusedAs(error, 401)) throw error
    return null
  })
  location.replace(done?.signOutUrl ?? root.pathname.replace(/\/$/, ''))
}
