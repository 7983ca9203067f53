import { Group, Text } from '@mantine/core'
import type { PaymentMethod } from 'credit-gateway-sdk'
import { useState } from 'react'
import { acting, gateway, queries } from '../../api.ts'
import { FormDialog } from '../../components/forms/form-dialog.tsx'
import { PermittedButton } from '../../components/forms/permitted-button.tsx'
import { ProblemNotice } from '../../components/problem.tsx'
import { Card } from '../../components/screen.tsx'
import { Status } from '../../components/status.tsx'
import { Unread } from '../../components/unread.tsx'
import { useAct } from '../../data/act.ts'
import { useRead } from '../../data/read.ts'

/** The cards of the account. An account has few, so one page shows them all. */
export function usePaymentMethods() {
  return useRead(
    ['billing', 'methods'],
    (options) => gateway.billing.listPaymentMethods({ limit: 200 }, options),
    { scopes: ['billing:read'] },
  )
}

/** A card as people know it: Visa ••4242. */
export function nameOf({ brand, last4 }: Pick<PaymentMethod, 'brand' | 'last4'>): string {
  return `${brand.charAt(0).toUpperCase()}${brand.slice(1)} ••${last4}`
}

export function PaymentMethods() {
  const [deleting, setDeleting] = useState<PaymentMethod | null>(null)
  const methods = usePaymentMethods()
  const prefer = useAct(async (payment_method_id: string) => {
    await acting.billing.setDefaultPaymentMethod({ payment_method_id })
    await queries.invalidateQueries({ queryKey: ['billing'] })
  })
  const { data } = methods
  return (
    <Card title="Payment methods">
      {prefer.problem && (
        <div className="card-body">
          <ProblemNotice error={prefer.problem} />
        </div>
      )}
      {!data && <Unread read={methods} what="the payment methods" />}
      {data?.items.length === 0 && (
        <div className="card-body quiet" role="status">
          No payment method yet. You can save one when you buy.
        </div>
      )}
      {data && data.items.length > 0 && (
        <ul className="items" aria-label="Payment methods">
          {data.items.map((method) => (
            <li key={method.id}>
              <div>
                {nameOf(method)} {method.default && <Status tone="good">default</Status>}
                <div className="quiet small">
                  valid until {String(method.exp_month).padStart(2, '0')}/{method.exp_year}
                </div>
              </div>
              <Group gap="xs">
                {!method.default && (
                  <PermittedButton
                    {...{ scope: 'billing:write', variant: 'default', size: 'xs' }}
                    aria-label={`Make ${nameOf(method)} the default`}
                    onClick={() => void prefer.run(method.id)}
                  >
                    Make default
                  </PermittedButton>
                )}
                <PermittedButton
                  {...{ scope: 'billing:write', variant: 'default', size: 'xs', c: 'red' }}
                  aria-label={`Delete ${nameOf(method)}`}
                  onClick={() => setDeleting(method)}
                >
                  Delete
                </PermittedButton>
              </Group>
            </li>
          ))}
        </ul>
      )}
      {deleting && <DeleteMethod method={deleting} onClose={() => setDeleting(null)} />}
    </Card>
  )
}

interface DeleteMethodProps {
  readonly method: PaymentMethod
  readonly onClose: () => void
}

function DeleteMethod({ method, onClose }: DeleteMethodProps) {
  const remove = useAct(async () => {
    await acting.billing.deletePaymentMethod({ payment_method_id: method.id })
    await queries.invalidateQueries({ queryKey: ['billing'] })
    onClose()
  })
  return (
    <FormDialog
      {...{ title: 'Delete the card', submit: 'Delete card', onClose, isDangerous: true }}
      {...{ isBusy: remove.isBusy, problem: remove.problem }}
      onSubmit={() => void remove.run()}
    >
      <Text size="sm">
        {nameOf(method)} is no longer charged.{' '}
        {method.default &&
          'It is the default: while automatic recharging or a subscription uses it, make another one the default first. '}
        It can be stored again with a purchase.
      </Text>
    </FormDialog>
  )
}
