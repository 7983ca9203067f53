import { ActionIcon, Button, Group, Input, Stack, TextInput } from '@mantine/core'
import { Icon } from '../../components/icons.tsx'

/** A name and a text. A list keeps the order, and names that are the same while somebody types. */
export type Pair = readonly [name: string, text: string]

interface MetadataFieldsProps {
  readonly pairs: readonly Pair[]
  readonly onChange: (pairs: readonly Pair[]) => void
  readonly error: string | undefined
}

/** Notes of the owner on a key: names with texts. */
export function MetadataFields({ pairs, onChange, error }: MetadataFieldsProps) {
  const change = (index: number, pair: Pair) =>
    onChange(pairs.map((one, at) => (at === index ? pair : one)))
  return (
    <fieldset className="scopes">
      <legend>Metadata</legend>
      <Stack gap="xs">
        {pairs.map(([name, text], index) => (
          <Group key={index} gap="xs" wrap="nowrap">
            <TextInput
              {...{ 'aria-label': 'Name of the metadata', placeholder: 'team', size: 'xs' }}
              {...{ value: name, required: true, maxLength: 40 }}
              onChange={(event) => change(index, [event.currentTarget.value, text])}
            />
            <TextInput
              {...{ 'aria-label': `Text of ${name || 'the metadata'}`, size: 'xs' }}
              {...{ placeholder: 'checkout', value: text, maxLength: 500, className: 'grow' }}
              onChange={(event) => change(index, [name, event.currentTarget.value])}
            />
            <ActionIcon
              aria-label={`Remove ${name || 'the metadata'}`}
              onClick={() => onChange(pairs.filter((_, at) => at !== index))}
            >
              <Icon name="close" size={14} />
            </ActionIcon>
          </Group>
        ))}
        <div>
          <Button
            {...{ variant: 'default', size: 'compact-xs' }}
            leftSection={<Icon name="plus" size={12} />}
            onClick={() => onChange([...pairs, ['', '']])}
          >
            Add metadata
          </Button>
        </div>
      </Stack>
      {error && <Input.Error mt="xs">{error}</Input.Error>}
    </fieldset>
  )
}
