import { Checkbox, Group, Stack, TagsInput } from '@mantine/core'
import type { NotificationKind, NotificationSettings } from 'credit-gateway-sdk'
import { type FormEvent, useState } from 'react'
import { acting, gateway, queries } from '../../api.ts'
import { PermittedButton } from '../../components/forms/permitted-button.tsx'
import { Loading } from '../../components/list.tsx'
import { fieldErrors, NoPermission, ProblemNotice } from '../../components/problem.tsx'
import { Card } from '../../components/screen.tsx'
import { Status } from '../../components/status.tsx'
import { useAct } from '../../data/act.ts'
import { useRead } from '../../data/read.ts'
import { tell } from '../../data/tell.ts'
import { isRefusedAs, useSession } from '../../session/session.tsx'

const kinds: Readonly<Record<NotificationKind, string>> = {
  credits_low: 'Credits are low',
  recharge_failed: 'Automatic recharging failed',
  payment_action_required: 'A payment needs your confirmation',
  payment_refunded: 'A payment was refunded',
  payment_disputed: 'A payment is disputed',
  invoice_paid: 'An invoice was paid',
  budget_threshold: 'A budget reaches 50, 80 or 100 %',
  credits_expiring: 'Credits are about to expire',
  key_leaked: 'An API key was leaked',
  webhook_disabled: 'A webhook endpoint was disabled',
  export_ready: 'An export is ready',
}

/** The addresses that get mails, and the kinds of mails. */
export function Notifications() {
  const settings = useRead<NotificationSettings>(
    ['notifications'],
    (options) => gateway.account.getNotifications({}, options),
    { scopes: ['account:read'] },
  )
  // The sandbox, and a gateway without mail, have no settings.
  const isUnsent = isRefusedAs(settings.error, 409)
  return (
    <Card title="E-mail notifications">
      <div className="card-body">
        {settings.missing && <NoPermission {...settings.missing} />}
        {isUnsent && (
          <div className="notice" data-kind="plain">
            {settings.error?.message}
          </div>
        )}
        {settings.error && !isUnsent && (
          <ProblemNotice error={settings.error} retry={() => void settings.refetch()} />
        )}
        {settings.isLoading && <Loading what="the notifications" />}
        {settings.data && <Form key={JSON.stringify(settings.data)} settings={settings.data} />}
      </div>
    </Card>
  )
}

function Form({ settings }: { readonly settings: NotificationSettings }) {
  const { can } = useSession()
  const [emails, setEmails] = useState(settings.emails.map(({ address }) => address))
  const [chosen, setChosen] = useState<readonly string[]>(settings.kinds)
  const save = useAct(async () => {
    const body = { emails, kinds: chosen }
    await acting.account.changeNotifications(
      body as Parameters<typeof acting.account.changeNotifications>[0],
    )
    await queries.invalidateQueries({ queryKey: ['notifications'] })
    await tell('Saved. We send each new address a link to confirm it, at most once a day.')
  })
  const errors = fieldErrors(save.problem)
  const waiting = settings.emails.filter(({ confirmed }) => !confirmed)
  function submit(event: FormEvent) {
    event.preventDefault()
    void save.run()
  }
  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        <TagsInput
          {...{ label: 'Addresses', value: emails, onChange: setEmails, error: errors.emails }}
          {...{ acceptValueOnBlur: true, disabled: !can('account:write') }}
          placeholder={emails.length === 0 ? 'team@example.com' : ''}
        />
        {waiting.map(({ address }) => (
          <Group key={address} gap="xs" className="small">
            {address} <Status tone="caution">not confirmed yet</Status>
          </Group>
        ))}
        <Checkbox.Group
          {...{ label: 'Send an e-mail when', error: errors.kinds }}
          value={[...chosen]}
          onChange={setChosen}
        >
          <div className="kinds">
            {Object.entries(kinds).map(([kind, label]) => (
              <Checkbox
                key={kind}
                {...{ value: kind, label, size: 'xs', disabled: !can('account:write') }}
              />
            ))}
          </div>
        </Checkbox.Group>
        {save.problem && <ProblemNotice error={save.problem} fields={['emails', 'kinds']} />}
        <Group justify="flex-end">
          <PermittedButton scope="account:write" type="submit" loading={save.isBusy}>
            Save
          </PermittedButton>
        </Group>
      </Stack>
    </form>
  )
}
