import { TextInput, type TextInputProps } from '@mantine/core'
import { useLayoutEffect, useRef, useState } from 'react'
import { readAmount, showAmount, type Unit, writeAmount } from './amount.ts'
import { notationOf } from './notation.ts'

const notation = notationOf(navigator.language)

interface AmountInputProps extends Omit<TextInputProps, 'value' | 'defaultValue' | 'onChange'> {
  readonly unit: Unit
  /** The first amount, in credits or in the smallest unit of the currency; null: empty. */
  readonly initial: number | null
  /** Called with the new amount; null: it is empty. Not called while it is unclear. */
  readonly onAmount?: (amount: number | null) => void
}

/**
 * An input of credits or money, written as the person's locale writes numbers. Below it stands the amount
 * that was understood. While it is unclear, the browser does not submit the form. With `name`, the form
 * has the amount as `countOf` reads it.
 */
export function AmountInput({ unit, initial, onAmount, name, ...props }: AmountInputProps) {
  const [text, setText] = useState(initial === null ? '' : writeAmount(initial, unit, notation))
  const input = useRef<HTMLInputElement>(null)
  const reading = readAmount(text, unit, notation)
  const problem = reading.kind === 'unclear' ? reading.message : null
  const amount = reading.kind === 'amount' ? reading.amount : null
  useLayoutEffect(() => input.current?.setCustomValidity(problem ?? ''), [problem])

  function change(text: string) {
    setText(text)
    const changed = readAmount(text, unit, notation)
    if (changed.kind === 'empty') onAmount?.(null)
    if (changed.kind === 'amount') onAmount?.(changed.amount)
  }
  return (
    <div>
      <TextInput
        {...{ ...props, ref: input, value: text, error: problem ?? props.error }}
        inputMode={unit === 'credits' ? 'numeric' : 'decimal'}
        onChange={({ currentTarget }) => change(currentTarget.value)}
        onInvalid={(event) => {
          // The browser would show the message a second time, above the one below the input.
          if (problem === null) return
          event.preventDefault()
          event.currentTarget.focus()
        }}
      />
      {name && <input type="hidden" name={name} value={amount ?? ''} />}
      <output className="understood small quiet">
        {amount === null ? '' : `= ${showAmount(amount, unit, notation)}`}
      </output>
    </div>
  )
}
