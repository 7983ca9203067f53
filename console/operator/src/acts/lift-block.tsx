import { ask } from '../api.ts'
import { actMs } from '../data/act.ts'
import { useWhere } from '../data/where.ts'
import { ActDialog } from './act-dialog.tsx'

/** Permits payments again after a dispute. */
export function LiftBlock({ onClose }: { readonly onClose: () => void }) {
  const { id: accountId, environment } = useWhere()
  const words = (isBlocked: boolean) => (isBlocked ? 'blocked' : 'permitted')
  return (
    <ActDialog
      {...{ title: 'Lift the block of payments', submit: 'Lift the block', onClose }}
      changes={[{ what: 'Payments', before: words(true), after: words(false) }]}
      act={(sent) =>
        ask(
          'LiftPaymentBlock',
          { input: { ...sent, accountId, environment }, environment },
          { timeoutMs: actMs },
        )
      }
      changed={({ isPaymentBlocked, before }) => [
        {
          what: 'Payments',
          before: words(before?.isPaymentBlocked ?? true),
          after: words(isPaymentBlocked),
        },
      ]}
    >
      <p>The account may buy credits again, and recharges by itself if it has set that up.</p>
    </ActDialog>
  )
}
