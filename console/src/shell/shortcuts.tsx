import { ActionIcon } from '@mantine/core'
import { lazy, Suspense, useCallback, useEffect, useState } from 'react'
import { Icon } from '../components/icons.tsx'
import { loadPart } from '../parts.ts'
import { useEarlyKeys } from './early-keys.ts'

const Palette = lazy(() => loadPart(() => import('./palette.tsx')))
const ShortcutList = lazy(() => loadPart(() => import('./shortcut-list.tsx')))

type Opened = 'palette' | 'list' | null

/** A button and shortcuts for the search of everything, which is loaded when it is wanted. */
export function Shortcuts() {
  const [opened, setOpened] = useState<Opened>(null)
  const [text, setText] = useState('')
  const [isTaking, setTaking] = useState(false)
  const open = useCallback((what: Opened) => {
    setText('')
    setTaking(false)
    setOpened(what)
  }, [])
  const close = useCallback(() => open(null), [open])
  useEarlyKeys(opened === 'palette' && !isTaking, setText, close)
  useEffect(() => {
    function onKey(event: KeyboardEvent) {
      const found = shortcutOf(event)
      if (found === null) return
      event.preventDefault()
      if (found !== opened) open(found)
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [opened, open])
  return (
    <>
      <ActionIcon
        {...{ size: 'lg', 'aria-label': 'Search', title: 'Search (Ctrl K)' }}
        onClick={() => open('palette')}
      >
        <Icon name="search" />
      </ActionIcon>
      <Suspense>
        {opened === 'palette' && (
          <Palette {...{ text, setText }} onClose={close} onFocus={() => setTaking(true)} />
        )}
        {opened === 'list' && <ShortcutList onClose={close} />}
      </Suspense>
    </>
  )
}

function shortcutOf({ key, ctrlKey, metaKey, altKey, target }: KeyboardEvent): Opened {
  if (altKey) return null
  if (ctrlKey || metaKey) return key.toLowerCase() === 'k' ? 'palette' : null
  const isTyping =
    target instanceof HTMLElement && target.closest('input, textarea, select, [contenteditable]')
  return key === '?' && !isTyping ? 'list' : null
}
