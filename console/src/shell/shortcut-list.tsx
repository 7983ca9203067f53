import { Kbd, Modal } from '@mantine/core'
import { Facts } from '../components/facts.tsx'

const command = navigator.platform.startsWith('Mac') ? '⌘' : 'Ctrl'

/** All shortcuts of the console. */
export default function ShortcutList({ onClose }: { readonly onClose: () => void }) {
  return (
    <Modal opened onClose={onClose} title="Keyboard shortcuts">
      <Facts
        facts={[
          ['Search, or open an ID', <Keys key="search" names={[command, 'K']} />],
          ['Show this list', <Keys key="list" names={['?']} />],
          ['Close a dialog', <Keys key="close" names={['Esc']} />],
        ]}
      />
    </Modal>
  )
}

function Keys({ names }: { readonly names: readonly string[] }) {
  return names.map((name) => <Kbd key={name}>{name}</Kbd>)
}
