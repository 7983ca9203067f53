import { Outlet } from '@tanstack/react-router'
import { lazy, Suspense, useSyncExternalStore } from 'react'
import { Loading } from '../../../src/components/list.tsx'
import { ProblemNotice } from '../../../src/components/problem.tsx'
import { loadPart } from '../../../src/parts.ts'
import { Door } from '../../../src/routes/doors/door.tsx'
import { ActHost } from '../acts/act-button.tsx'
import { LinkPage } from '../routes/doors/link.tsx'
import { SignInPage } from '../routes/doors/sign-in.tsx'
import { numberOfLink, onLink } from '../session/link.ts'
import { SessionGate } from '../session/session.tsx'
import { Frame } from './frame.tsx'
import { StepUp } from './step-up.tsx'

const Notices = lazy(() => loadPart(() => import('../../../src/shell/notices.tsx')))

/** Everything that an operator sees: the page of a link, or the screens behind the session. */
export function SignedIn() {
  const link = useSyncExternalStore(onLink, numberOfLink)
  if (link !== null) return <LinkPage key={link} number={link} />
  return (
    <SessionGate
      door={(methods, hasEnded) => <SignInPage {...{ methods, hasEnded }} />}
      waiting={(problem, again) => (
        <Door title="Operators">
          {problem ? <ProblemNotice error={problem} retry={again} /> : <Loading what="the page" />}
        </Door>
      )}
    >
      <ActHost>
        <Frame>
          <Outlet />
        </Frame>
      </ActHost>
      <StepUp />
      <Suspense>
        <Notices />
      </Suspense>
    </SessionGate>
  )
}
