import { type Dispatch, type SetStateAction, useEffect } from 'react'

/** Keys that would act on what still has the focus: Enter opens a link there. */
const held: ReadonlySet<string> = new Set(['Enter', 'Tab', 'ArrowDown', 'ArrowUp'])

/**
 * While `isWaiting`, what people type or paste is text of an input that is not there yet, and Escape gives it up:
 * nothing that is typed after a shortcut is lost, nor goes to the page below.
 */
export function useEarlyKeys(
  isWaiting: boolean,
  setText: Dispatch<SetStateAction<string>>,
  onEscape: () => void,
): void {
  useEffect(() => {
    if (!isWaiting) return
    function onKey(event: KeyboardEvent) {
      if (event.ctrlKey || event.metaKey || event.altKey) return
      const { key } = event
      if (key === 'Escape') onEscape()
      else if (key === 'Backspace') setText((text) => text.slice(0, -1))
      else if (key.length === 1) setText((text) => text + key)
      else if (!held.has(key)) return
      event.preventDefault()
      event.stopPropagation()
    }
    function onPaste(event: ClipboardEvent) {
      const pasted = event.clipboardData?.getData('text/plain') ?? ''
      setText((text) => text + pasted)
      event.preventDefault()
      event.stopPropagation()
    }
    const options = { capture: true }
    addEventListener('keydown', onKey, options)
    addEventListener('paste', onPaste, options)
    return () => {
      removeEventListener('keydown', onKey, options)
      removeEventListener('paste', onPaste, options)
    }
  }, [isWaiting, setText, onEscape])
}
