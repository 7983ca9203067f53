import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { CopyButton } from '../copy.tsx'

interface OneTimeSecretProps {
  readonly title: string
  /** Advice about the secret. */
  readonly advice: ReactNode
  /** Names and values: the secrets, and facts that belong to them. */
  readonly values: readonly (readonly [label: string, value: string])[]
  /** False: no value is secret. */
  readonly isSecret?: boolean
  readonly onClose: () => void
  /** What helps to use the values. */
  readonly children?: ReactNode
}

/** A secret that is shown once. Only the state of the component that opened the dialog holds it. */
export function OneTimeSecret(props: OneTimeSecretProps) {
  const { title, advice, values, isSecret = true, onClose, children } = props
  return (
    <Modal
      {...{ opened: true, onClose, title, size: 'lg' }}
      {...{ closeOnClickOutside: false, closeOnEscape: false, withCloseButton: false }}
    >
      <Stack gap="md">
        <div className="notice" data-kind="caution">
          {advice}
          {isSecret && ' It is shown this once.'}
        </div>
        {values.map(([label, value]) => (
          <div key={label}>
            <Group justify="space-between" align="end" mb={4}>
              <Text size="sm" fw={500}>
                {label}
              </Text>
              <CopyButton text={value} what={label.toLowerCase()} />
            </Group>
            <code className="code secret">{value}</code>
          </div>
        ))}
        {children}
        <Group justify="flex-end">
          <Button onClick={onClose}>{isSecret ? 'I have stored it' : 'Done'}</Button>
        </Group>
      </Stack>
    </Modal>
  )
}
