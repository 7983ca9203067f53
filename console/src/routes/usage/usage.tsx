import { Screen } from '../../components/screen.tsx'

export default function Usage() {
  return <Screen title="Usage">…</Screen>
}
