import { ActionIcon, Button } from '@mantine/core'
import { useEffect, useState } from 'react'
import { Icon } from './icons.tsx'

const shownMs = 2000

function useCopy(text: string) {
  const [state, setState] = useState<'idle' | 'copied' | 'failed'>('idle')
  useEffect(() => {
    if (state === 'idle') return
    const timer = setTimeout(() => setState('idle'), shownMs)
    return () => clearTimeout(timer)
  }, [state])
  const copy = () =>
    void navigator.clipboard
      .writeText(text)
      .then(() => setState('copied'))
      .catch(() => setState('failed'))
  return { state, copy }
}

const labels = { idle: 'Copy', copied: 'Copied', failed: 'Select and copy it yourself' }

interface CopyProps {
  readonly text: string
  /** The name of the copied text, for screen readers: "request id". */
  readonly what: string
}

export function CopyIcon({ text, what }: CopyProps) {
  const { state, copy } = useCopy(text)
  const label = `${labels[state]} ${state === 'failed' ? '' : what}`.trim()
  return (
    <ActionIcon size="sm" onClick={copy} aria-label={label} title={label}>
      <Icon name={state === 'copied' ? 'check' : 'copy'} size={14} />
    </ActionIcon>
  )
}

export function CopyButton({ text, what }: CopyProps) {
  const { state, copy } = useCopy(text)
  return (
    <Button
      {...{
        variant: 'default',
        size: 'xs',
        onClick: copy,
        'aria-label': `${labels[state]} ${what}`,
      }}
      leftSection={<Icon name={state === 'copied' ? 'check' : 'copy'} size={14} />}
    >
      {labels[state]}
    </Button>
  )
}

/** A text with a button that copies it, such as an id. */
export function Copyable({ text, what }: CopyProps) {
  return (
    <span className="copyable">
      <span className="mono clip" title={text}>
        {text}
      </span>
      <CopyIcon text={text} what={what} />
    </span>
  )
}
