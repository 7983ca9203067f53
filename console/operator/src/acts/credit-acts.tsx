import { Checkbox, Group, Radio, TextInput } from '@mantine/core'
import { useState } from 'react'
import { AmountInput } from '../../../src/components/forms/amount-input.tsx'
import { fromInput } from '../../../src/format/dates.ts'
import { integer } from '../../../src/format/numbers.ts'
import { currentZone } from '../../../src/format/zone.ts'
import { ask } from '../api.ts'
import { actMs } from '../data/act.ts'
import type { AccountHead } from '../data/shown.ts'
import { useWhere } from '../data/where.ts'
import { ActDialog } from './act-dialog.tsx'
import type { Change } from './changes.tsx'

interface CreditActProps {
  readonly account: AccountHead
  readonly onClose: () => void
}

/** What a change of the credits makes of the balance. */
function balanceChange(balance: number, credits: number | null): readonly Change[] {
  const after = credits === null ? '…' : integer(balance + credits)
  return [{ what: 'Balance', before: integer(balance), after }]
}

interface Posted {
  readonly credits: number
  readonly balanceAfter: number
}

function balanceChanged({ credits, balanceAfter }: Posted): readonly Change[] {
  return balanceChange(balanceAfter - credits, credits)
}

/** Gives credits to the account, for ever or until a day. */
export function GrantCredits({ account: { credits: now }, onClose }: CreditActProps) {
  const { id: accountId, environment } = useWhere()
  const [credits, setCredits] = useState<number | null>(null)
  const [expires, setExpires] = useState('')
  const isPositive = credits !== null && credits > 0
  return (
    <ActDialog
      {...{ title: 'Grant credits', submit: 'Grant', onClose, isReady: isPositive }}
      changes={balanceChange(now.balance, isPositive ? credits : null)}
      act={(sent) => {
        const expiresAt = expires ? new Date(fromInput(expires, currentZone())) : null
        const input = { ...sent, accountId, environment, credits: credits ?? 0, expiresAt }
        return ask('GrantCredits', { input }, { timeoutMs: actMs })
      }}
      changed={balanceChanged}
    >
      <AmountInput
        {...{ label: 'Credits', unit: 'credits', initial: null, onAmount: setCredits }}
        {...{ required: true, withAsterisk: false, 'data-autofocus': true }}
      />
      <TextInput
        {...{ label: 'They expire at', description: 'Empty: never.', type: 'datetime-local' }}
        value={expires}
        onChange={({ currentTarget }) => setExpires(currentTarget.value)}
      />
    </ActDialog>
  )
}

/** Corrects the balance, up or down. */
export function AdjustCredits({ account: { credits: now }, onClose }: CreditActProps) {
  const { id: accountId, environment } = useWhere()
  const [credits, setCredits] = useState<number | null>(null)
  const [isTaking, setTaking] = useState(true)
  const [allowNegative, setAllowNegative] = useState(false)
  const signed = credits ? (isTaking ? -credits : credits) : null
  const isBelowZero = isTaking && signed !== null && now.balance + signed < 0
  const isReady = signed !== null && (allowNegative || !isBelowZero)
  return (
    <ActDialog
      {...{ title: 'Adjust credits', submit: 'Adjust', onClose, isReady, isDangerous: isTaking }}
      changes={balanceChange(now.balance, signed)}
      act={(sent) => {
        const input = { ...sent, accountId, environment, credits: signed ?? 0, allowNegative }
        return ask('AdjustCredits', { input }, { timeoutMs: actMs })
      }}
      changed={balanceChanged}
    >
      <AmountInput
        {...{ label: 'Credits', unit: 'credits', initial: null, onAmount: setCredits }}
        {...{ required: true, withAsterisk: false, 'data-autofocus': true }}
      />
      <Radio.Group
        {...{ label: 'Direction', value: isTaking ? 'take' : 'add' }}
        onChange={(direction) => setTaking(direction === 'take')}
      >
        <Group mt="xs">
          <Radio value="take" label="Take away" />
          <Radio value="add" label="Add" />
        </Group>
      </Radio.Group>
      {isBelowZero && (
        <Checkbox
          {...{ label: 'Let the balance become negative', checked: allowNegative }}
          onChange={({ currentTarget }) => setAllowNegative(currentTarget.checked)}
        />
      )}
    </ActDialog>
  )
}
