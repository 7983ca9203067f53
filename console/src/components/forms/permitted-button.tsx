import { Button, type ButtonProps } from '@mantine/core'
import { useSession } from '../../session/session.tsx'

interface PermittedButtonProps extends ButtonProps {
  /** Without this scope the button does nothing, and says so. */
  readonly scope: string
  readonly onClick?: () => void
  /** Submits the form around it. */
  readonly type?: 'submit'
  readonly 'aria-label'?: string
}

/** A button for people who hold a scope. The others see which scope is missing. */
export function PermittedButton({ scope, onClick, ...props }: PermittedButtonProps) {
  const session = useSession()
  if (session.can(scope)) return <Button {...props} onClick={onClick} />
  const reason = `Needs the scope ${scope}`
  return (
    <Button
      {...{ ...props, type: 'button' }}
      {...{ 'data-disabled': true, 'aria-disabled': true }}
      title={reason}
      aria-description={reason}
    />
  )
}
