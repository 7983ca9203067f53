import { Button } from '@mantine/core'
import { useLocation } from '@tanstack/react-router'
import { createContext, type ReactNode, useCallback, useContext, useState } from 'react'

const OpenDialog = createContext<(dialog: ReactNode) => void>(() => {})

/** Shows the dialogs of acts beside the screen: what an act has changed stays, also when its row is gone. */
export function ActHost({ children }: { readonly children: ReactNode }) {
  const screen = useLocation({ select: ({ pathname }) => pathname })
  const [opened, setOpened] = useState({ screen, dialog: null as ReactNode })
  const open = useCallback((dialog: ReactNode) => setOpened({ screen, dialog }), [screen])
  return (
    <OpenDialog value={open}>
      {children}
      {/* Another screen may be of another account. */}
      {opened.screen === screen && opened.dialog}
    </OpenDialog>
  )
}

interface ActButtonProps {
  readonly label: string
  readonly size?: string
  readonly dialog: (onClose: () => void) => ReactNode
}

/** A button of a row or a card, which opens the dialog of an act. */
export function ActButton({ label, size = 'compact-xs', dialog }: ActButtonProps) {
  const open = useContext(OpenDialog)
  return (
    <Button variant="default" size={size} onClick={() => open(dialog(() => open(null)))}>
      {label}
    </Button>
  )
}
