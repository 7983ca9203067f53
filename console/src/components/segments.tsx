interface SegmentsProps<Value extends string> {
  /** What is chosen, for screen readers: "Time zone". */
  readonly label: string
  readonly options: readonly { readonly value: Value; readonly label: string }[]
  readonly chosen: Value
  readonly onChoose: (value: Value) => void
  readonly isBusy?: boolean
}

/** A choice between a few words. It is plain HTML, because the first screen has it. */
export function Segments<Value extends string>(props: SegmentsProps<Value>) {
  const { label, options, chosen, onChoose, isBusy = false } = props
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be laid out as a row everywhere.
    <div className="segments" role="group" aria-label={label} aria-busy={isBusy}>
      {options.map((option) => (
        <button
          key={option.value}
          type="button"
          data-value={option.value}
          aria-pressed={option.value === chosen}
          onClick={() => option.value !== chosen && !isBusy && onChoose(option.value)}
        >
          {option.label}
        </button>
      ))}
    </div>
  )
}
