import { Button, Text } from '@mantine/core'
import type { SignInAccount } from 'credit-gateway-sdk'

interface AccountChoiceProps {
  readonly accounts: readonly SignInAccount[]
  readonly isBusy: boolean
  readonly onChoose: (accountId: string) => void
}

/** The accounts of a person, who has proven to be that person. */
export function AccountChoice({ accounts, isBusy, onChoose }: AccountChoiceProps) {
  return (
    <ul className="account-choice" aria-label="Your accounts">
      {accounts.map(({ account_id: id, account_name: name, role }) => (
        <li key={id}>
          <Button
            {...{ variant: 'default', fullWidth: true, justify: 'space-between' }}
            {...{ disabled: isBusy, onClick: () => onChoose(id) }}
            rightSection={
              <Text span size="xs" c="dimmed">
                {role}
              </Text>
            }
          >
            {name}
          </Button>
        </li>
      ))}
    </ul>
  )
}
