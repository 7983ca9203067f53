import { Group, Title } from '@mantine/core'
import { Outlet } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import { Logo } from '../components/icons.tsx'
import { Loading } from '../components/list.tsx'
import { ProblemNotice } from '../components/problem.tsx'
import { loadPart } from '../parts.ts'
import { SignInPage } from '../routes/doors/sign-in.tsx'
import { SuspendedPage } from '../routes/doors/suspended.tsx'
import { SessionGate } from '../session/session.tsx'
import { Frame } from './frame.tsx'
import { StepUp } from './step-up.tsx'

const Notices = lazy(() => loadPart(() => import('./notices.tsx')))

/** The part of the console for people who are signed in. */
export function SignedIn() {
  return (
    <SessionGate
      door={(hasEnded) => <SignInPage hasEnded={hasEnded} />}
      suspended={(contact) => <SuspendedPage contact={contact} />}
      waiting={(problem, again) => (
        <main className="door">
          <div className="card door-card">
            <Group gap="sm" mb="md">
              <Logo />
              <Title order={1}>Credit Gateway</Title>
            </Group>
            {problem ? (
              <ProblemNotice error={problem} retry={again} />
            ) : (
              <Loading what="the console" />
            )}
          </div>
        </main>
      )}
    >
      <Frame>
        <Outlet />
      </Frame>
      <StepUp />
      <Suspense>
        <Notices />
      </Suspense>
    </SessionGate>
  )
}
