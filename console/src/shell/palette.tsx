import { Modal, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useNavigate } from '@tanstack/react-router'
import { type KeyboardEvent, useId, useState } from 'react'
import { useAct } from '../data/act.ts'
import { useSession } from '../session/session.tsx'
import { type Place, placeOf, useMatches } from './palette-places.ts'

const typingMs = 150

interface PaletteProps {
  readonly text: string
  readonly setText: (text: string) => void
  readonly onClose: () => void
  /** Called when the input has the focus, so that it takes the keys. */
  readonly onFocus: () => void
}

/** Finds screens, API keys and customers by their names, and opens what a pasted id names. */
export default function Palette({ text, setText, onClose, onFocus }: PaletteProps) {
  const session = useSession()
  const navigate = useNavigate()
  const listId = useId()
  const [at, setAt] = useState(0)
  const [problem, setProblem] = useState<string | null>(null)
  const [typed] = useDebouncedValue(text.trim(), typingMs)
  const { matches, isLooking } = useMatches(text.trim(), typed)
  const chosen = matches[Math.min(at, matches.length - 1)]

  const open = useAct(async (place: Place) => {
    const found = await placeOf(place, session)
    if ('problem' in found) return setProblem(found.problem)
    onClose()
    await navigate(found as never)
  })
  function onKeyDown(event: KeyboardEvent) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined && matches.length > 0) {
      event.preventDefault()
      setAt((Math.min(at, matches.length - 1) + step + matches.length) % matches.length)
    }
    if (event.key === 'Enter' && chosen) {
      event.preventDefault()
      void open.run(chosen)
    }
  }
  const note =
    problem ??
    open.problem?.message ??
    (matches.length > 0 ? null : isLooking ? 'Searching…' : 'Nothing found.')
  return (
    <Modal opened onClose={onClose} title="Search" yOffset="10vh" centered={false}>
      <TextInput
        {...{ 'aria-label': 'Search', placeholder: 'A screen, key or customer, or any ID' }}
        {...{ value: text, role: 'combobox', mt: 3, 'data-autofocus': true, onKeyDown }}
        {...{ 'aria-expanded': matches.length > 0, 'aria-autocomplete': 'list' }}
        aria-controls={matches.length > 0 ? listId : undefined}
        aria-activedescendant={chosen && `${listId}-${matches.indexOf(chosen)}`}
        onFocus={({ currentTarget }) => {
          onFocus()
          // What was typed early is there already: more is written after it.
          currentTarget.setSelectionRange(text.length, text.length)
        }}
        onChange={({ currentTarget }) => {
          setText(currentTarget.value)
          setAt(0)
          setProblem(null)
        }}
      />
      <Results {...{ matches, chosen, listId, setAt }} onOpen={(match) => void open.run(match)} />
      <div className="small quiet" role="status">
        {note}
      </div>
    </Modal>
  )
}

interface ResultsProps {
  readonly matches: readonly Place[]
  readonly chosen: Place | undefined
  readonly listId: string
  readonly setAt: (index: number) => void
  readonly onOpen: (match: Place) => void
}

function Results({ matches, chosen, listId, setAt, onOpen }: ResultsProps) {
  if (matches.length === 0) return null
  return (
    <div className="palette" id={listId} role="listbox" aria-label="Results">
      {matches.map((match, index) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the input above.
        <div
          key={`${match.kind} ${match.id}`}
          id={`${listId}-${index}`}
          role="option"
          tabIndex={-1}
          aria-selected={match === chosen}
          onClick={() => onOpen(match)}
          onMouseMove={() => setAt(index)}
        >
          <span className="clip">{match.label}</span>
          <span className="palette-kind quiet small">{kinds[match.kind]}</span>
        </div>
      ))}
    </div>
  )
}

const kinds: Readonly<Record<Place['kind'], string>> = {
  ...{ screen: 'Screen', key: 'API key', customer: 'Customer', id: 'Open' },
}
