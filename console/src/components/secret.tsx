import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import { CopyButton } from './copy.tsx'

interface SecretProps {
  /** What it is: "API key". */
  readonly what: string
  readonly text: string
  /** What to do with it. */
  readonly hint: string
  readonly onClose: () => void
}

/** Shows a secret this once. It is kept nowhere else: closing the dialog forgets it. */
export function SecretDialog({ what, text, hint, onClose }: SecretProps) {
  return (
    <Modal
      {...{ opened: true, onClose, title: `Your new ${what}`, size: 'lg' }}
      {...{ closeOnClickOutside: false, closeOnEscape: false }}
    >
      <Stack gap="md">
        <div className="notice" data-kind="caution">
          Copy it now. It is shown this once and cannot be read again.
        </div>
        <div className="between secret">
          <code className="code grow">{text}</code>
          <CopyButton text={text} what={what} />
        </div>
        <Text size="sm" c="dimmed">
          {hint}
        </Text>
        <Group justify="flex-end">
          <Button onClick={onClose}>I have copied it</Button>
        </Group>
      </Stack>
    </Modal>
  )
}
