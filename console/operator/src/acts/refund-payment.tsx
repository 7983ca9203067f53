import { useState } from 'react'
import { AmountInput } from '../../../src/components/forms/amount-input.tsx'
import { money } from '../../../src/format/numbers.ts'
import { ask } from '../api.ts'
import { actMs } from '../data/act.ts'
import type { Payment } from '../data/shown.ts'
import { ActButton } from './act-button.tsx'
import { ActDialog } from './act-dialog.tsx'

/** Returns money of a payment, all that is left of it or a part. */
export function RefundPaymentButton({ payment }: { readonly payment: Payment }) {
  return (
    <ActButton
      label="Refund"
      dialog={(onClose) => <RefundPayment payment={payment} onClose={onClose} />}
    />
  )
}

interface RefundPaymentProps {
  readonly payment: Payment
  readonly onClose: () => void
}

function RefundPayment({ payment, onClose }: RefundPaymentProps) {
  const { id: paymentId, currency, totalCents, refundedCents } = payment
  const left = totalCents - refundedCents
  const [amountCents, setAmountCents] = useState<number | null>(left)
  const show = (cents: number) => money({ cents, currency })
  const isReady = amountCents !== null && amountCents > 0
  return (
    <ActDialog
      {...{ title: 'Refund a payment', submit: 'Refund', onClose, isReady, isDangerous: true }}
      changes={[
        {
          what: 'Returned of the payment',
          before: show(refundedCents),
          after: isReady ? show(refundedCents + amountCents) : '…',
        },
      ]}
      act={(sent) =>
        ask('RefundPayment', { input: { ...sent, paymentId, amountCents } }, { timeoutMs: actMs })
      }
      changed={({ amountCents: returned, leftBeforeCents, status }) => [
        {
          what: 'Left of the payment',
          ...{
            before: show(leftBeforeCents ?? left),
            after: show((leftBeforeCents ?? left) - returned),
          },
        },
        { what: `Refund of ${show(returned)}`, before: 'none', after: status },
      ]}
    >
      <p>
        {show(left)} of {show(totalCents)} are left. The credits of what is returned are taken from
        the account.
      </p>
      <AmountInput
        {...{ label: `Amount in ${currency}`, unit: { currency }, initial: left }}
        {...{ required: true, withAsterisk: false, 'data-autofocus': true }}
        onAmount={setAmountCents}
      />
    </ActDialog>
  )
}
