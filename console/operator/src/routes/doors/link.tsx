import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Facts } from '../../../../src/components/facts.tsx'
import { Loading } from '../../../../src/components/list.tsx'
import { ProblemNotice } from '../../../../src/components/problem.tsx'
import { Time } from '../../../../src/components/time.tsx'
import { Door } from '../../../../src/routes/doors/door.tsx'
import { ask, isRefusedAs, type Preview } from '../../api.ts'
import { useAct } from '../../data/act.ts'
import { forgetLink, secretOfLink } from '../../session/link.ts'
import { renewMe } from '../../session/session.tsx'

/**
 * The target of a link. It names the operator that the link signs in, and changes nothing before a person
 * presses the button. An operator who is signed in already proves the session by it.
 */
export function LinkPage({ number }: { readonly number: number }) {
  const token = secretOfLink()
  const preview = useQuery({
    queryKey: ['Preview', number],
    queryFn: ({ signal }) => ask('Preview', { token }, { signal }),
    refetchOnWindowFocus: false,
    staleTime: Number.POSITIVE_INFINITY,
  })
  const { data, error } = preview
  const signedInAs = data?.signedInAs ?? null
  const isProof = data !== undefined && isSame(data, signedInAs)
  const enter = useAct(async () => {
    if (isProof) await ask('StepUp', { token })
    else await ask('SignIn', { token, replaces: signedInAs !== null })
    await renewMe()
    forgetLink()
  })
  if (error) return <UsedLink error={error} retry={() => void preview.refetch()} />
  if (!data) {
    return (
      <Door title="Operators">
        <Loading what="what the link opens" />
      </Door>
    )
  }
  return (
    <Door title={isProof ? 'Prove that it is you' : 'Sign in'}>
      <Facts facts={factsOf(data)} />
      {isProof && <p>You are signed in. The link proves your session for 15 minutes more.</p>}
      {signedInAs && !isProof && (
        <div className="notice" data-kind="caution">
          You are signed in as {signedInAs.name}, {signedInAs.role}. That session ends.
        </div>
      )}
      {enter.problem && <ProblemNotice error={enter.problem} />}
      <Button loading={enter.isBusy} onClick={() => void enter.run()} fullWidth>
        {isProof ? 'Continue' : `Sign in as ${data.name}`}
      </Button>
    </Door>
  )
}

function isSame(link: Preview, operator: Preview['signedInAs']): boolean {
  return operator?.name === link.name && operator.role === link.role
}

function factsOf({ name, role, expiresAt }: Preview) {
  return [
    ['You are', name],
    ['Role', role],
    ['The link works until', <Time key="until" at={expiresAt} />],
  ] as const
}

function UsedLink({ error, retry }: { readonly error: Error; readonly retry: () => void }) {
  const isOver = isRefusedAs(error, 404)
  return (
    <Door title="This link opens nothing">
      {isOver ? (
        <p>
          It works once, within 15 minutes. <code>npx gateway operator link</code> makes another
          one.
        </p>
      ) : (
        <ProblemNotice error={error} retry={retry} />
      )}
      <Button variant="default" onClick={forgetLink}>
        Go on without it
      </Button>
    </Door>
  )
}
