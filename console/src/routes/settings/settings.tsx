import { SegmentedControl, useMantineColorScheme } from '@mantine/core'
import type { Account } from 'credit-gateway-sdk'
import type { ReactNode } from 'react'
import { gateway } from '../../api.ts'
import { Copyable } from '../../components/copy.tsx'
import { Facts as FactList } from '../../components/facts.tsx'
import { Loading } from '../../components/list.tsx'
import { NoPermission, ProblemNotice } from '../../components/problem.tsx'
import { Card, Screen } from '../../components/screen.tsx'
import { Time } from '../../components/time.tsx'
import { useRead } from '../../data/read.ts'
import { tierName } from '../../format/names.ts'
import { integer } from '../../format/numbers.ts'
import { Notifications } from './notifications.tsx'
import { OwnAddress } from './own-address.tsx'
import { Passkeys } from './passkeys.tsx'
import { Sandbox } from './sandbox.tsx'
import { Sessions } from './sessions.tsx'

export default function Settings() {
  return (
    <Screen title="Settings">
      <div className="stack">
        <AccountCard />
        <Theme />
        <OwnAddress />
        <Passkeys />
        <Sessions />
        <Notifications />
        <Sandbox />
      </div>
    </Screen>
  )
}

function AccountCard() {
  const account = useRead<Account>(['account'], (options) => gateway.account.get({}, options), {
    scopes: ['account:read'],
  })
  return (
    <Card title="Account">
      <div className="card-body">
        {account.missing && <NoPermission {...account.missing} />}
        {account.error && (
          <ProblemNotice error={account.error} retry={() => void account.refetch()} />
        )}
        {account.isLoading && <Loading what="the account" />}
        {account.data && <FactList facts={factsOf(account.data)} />}
      </div>
    </Card>
  )
}

function factsOf(account: Account): readonly (readonly [string, ReactNode])[] {
  return [
    ['Name', account.name],
    ['E-mail', account.email],
    ['ID', <Copyable key="id" text={account.id} what="account id" />],
    ['Tier', tierName(account.tier)],
    [
      'Subscription',
      account.subscription_tier === null ? 'none' : tierName(account.subscription_tier),
    ],
    ['Rate limit', `${integer(account.rate_limit_rps)} requests a second`],
    ['Created', <Time key="created" at={account.created_at} as="day" />],
  ]
}

function Theme() {
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  return (
    <Card title="Theme">
      <div className="card-body">
        <SegmentedControl
          {...{ value: colorScheme, 'aria-label': 'Theme' }}
          onChange={(value) => setColorScheme(value as 'auto' | 'light' | 'dark')}
          data={[
            { value: 'auto', label: 'System' },
            { value: 'light', label: 'Light' },
            { value: 'dark', label: 'Dark' },
          ]}
        />
      </div>
    </Card>
  )
}
