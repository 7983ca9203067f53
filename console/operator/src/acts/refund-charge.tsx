import { integer } from '../../../src/format/numbers.ts'
import { ask } from '../api.ts'
import { actMs } from '../data/act.ts'
import { ActButton } from './act-button.tsx'
import { ActDialog } from './act-dialog.tsx'

interface RefundChargeProps {
  readonly accountId: string
  readonly requestId: string
  /** What the call has cost. */
  readonly credits: number
}

/** Gives back the credits of one call. */
export function RefundChargeButton({ accountId, requestId, credits }: RefundChargeProps) {
  return (
    <ActButton
      label="Refund"
      dialog={(onClose) => (
        <ActDialog
          {...{ title: 'Refund a charge', submit: 'Refund', onClose }}
          changes={[
            {
              what: 'Credits charged for the call',
              ...{ before: integer(credits), after: integer(0) },
            },
          ]}
          act={(sent) =>
            ask('RefundCharge', { input: { ...sent, accountId, requestId } }, { timeoutMs: actMs })
          }
          changed={({ credits: returned, balanceAfter }) => [
            {
              what: 'Balance',
              ...{ before: integer(balanceAfter - returned), after: integer(balanceAfter) },
            },
          ]}
        >
          <p>
            The call <span className="mono">{requestId}</span> is no longer charged. A call is
            refunded once.
          </p>
        </ActDialog>
      )}
    />
  )
}
