import { Button, type ButtonProps } from '@mantine/core'
import { tell } from '../../data/tell.ts'
import { useSession } from '../../session/session.tsx'

interface PermittedButtonProps extends ButtonProps {
  /** Without this scope the button does nothing, and says so. */
  readonly scope: string
  readonly onClick?: () => void
  /** Submits the form around it. */
  readonly type?: 'submit'
  readonly 'aria-label'?: string
}

/** A button for people who hold a scope. The others learn what they lack, also on a screen that they touch. */
export function PermittedButton({ scope, onClick, ...props }: PermittedButtonProps) {
  const { can, role } = useSession()
  if (can(scope)) return <Button {...props} onClick={onClick} />
  const reason = role
    ? `Your role ${role} does not permit this. Ask an owner of the account.`
    : `The key that you signed in with lacks the scope ${scope}.`
  return (
    <Button
      {...{ ...props, type: 'button' }}
      {...{ 'data-disabled': true, 'aria-disabled': true }}
      title={reason}
      aria-description={reason}
      onClick={() => void tell(reason, { id: 'not-permitted' })}
    />
  )
}
