import { SegmentedControl } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { Copyable, CopyButton } from '../../components/copy.tsx'
import { Facts } from '../../components/facts.tsx'
import { Loading } from '../../components/list.tsx'
import { ProblemNotice } from '../../components/problem.tsx'
import { Card, Screen } from '../../components/screen.tsx'
import { useToolsAddress } from '../../data/tools.ts'
import { AgentKey } from './agent-key.tsx'
import { type Program, programs } from './programs.ts'
import { UnverifiedApps } from './unverified-apps.tsx'

/** How an agent connects to the tools of this gateway, by a sign-in or with a key. */
export default function Agents() {
  const address = useToolsAddress()
  const [name, setName] = useState('Claude')
  const program = programs.find((one) => one.name === name)
  if (address.data === null) {
    return (
      <Screen title="There is no page here">
        <Link to="/">Go to the overview</Link>
      </Screen>
    )
  }
  return (
    <Screen title="Connect an agent">
      {address.error && (
        <ProblemNotice error={address.error} retry={() => void address.refetch()} />
      )}
      {address.isLoading && <Loading what="the address" />}
      {address.data && program && (
        <div className="cards">
          <Card title="Address">
            <div className="card-body stack">
              <p>
                Agents use the products as tools over the Model Context Protocol (MCP). You pay for
                their calls as for your own, and you set what each agent may spend.
              </p>
              <Facts
                facts={[
                  ['Address', <Copyable key="address" text={address.data} what="address" />],
                  [
                    'Spending',
                    <span key="spending">
                      See what each agent has spent under <Link to="/apps">Apps</Link>, or under{' '}
                      <Link to="/keys">API keys</Link> if it uses a key.
                    </span>,
                  ],
                  [
                    'Guide',
                    <a key="guide" href="/docs/agents" target="_blank" rel="noreferrer">
                      Agents
                    </a>,
                  ],
                ]}
              />
              <SegmentedControl
                {...{ value: name, onChange: setName, 'aria-label': 'Agent', fullWidth: true }}
                data={programs.map((one) => one.name)}
              />
            </div>
          </Card>
          <SignIn program={program} address={address.data} />
          <AgentKey program={program} address={address.data} />
          <UnverifiedApps />
        </div>
      )}
    </Screen>
  )
}

interface SignInProps {
  readonly program: Program
  readonly address: string
}

function SignIn({ program, address }: SignInProps) {
  const { name, steps, place, snippet } = program
  const text = snippet(address)
  return (
    <Card title={`Connect ${name}`} actions={<CopyButton text={text} what="the configuration" />}>
      <div className="card-body stack">
        <ol className="numbered">
          {steps.map((step) => (
            <li key={step}>{step}</li>
          ))}
        </ol>
        <div className="small quiet">{place}</div>
        <pre className="code secret">{text}</pre>
      </div>
    </Card>
  )
}
