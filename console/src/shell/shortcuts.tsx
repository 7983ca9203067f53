import { ActionIcon } from '@mantine/core'
import { lazy, Suspense, useEffect, useState } from 'react'
import { Icon } from '../components/icons.tsx'
import { loadPart } from '../parts.ts'

const Palette = lazy(() => loadPart(() => import('./palette.tsx')))
const ShortcutList = lazy(() => loadPart(() => import('./shortcut-list.tsx')))

type Opened = 'palette' | 'list' | null

/** A button and shortcuts for the search of everything. What they open is loaded then. */
export function Shortcuts() {
  const [opened, setOpened] = useState<Opened>(null)
  useEffect(() => {
    function onKey(event: KeyboardEvent) {
      const found = shortcutOf(event)
      if (found === null) return
      event.preventDefault()
      setOpened(found)
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [])
  const close = () => setOpened(null)
  return (
    <>
      <ActionIcon
        {...{ size: 'lg', 'aria-label': 'Search', title: 'Search (Ctrl K)' }}
        onClick={() => setOpened('palette')}
      >
        <Icon name="search" />
      </ActionIcon>
      <Suspense>
        {opened === 'palette' && <Palette onClose={close} />}
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
