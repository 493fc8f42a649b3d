import { useNavigate } from '@tanstack/react-router'
import { useSearchParams } from '../search-params.ts'

/** `view` where the page has tabs of its own. */
export type TabWord = 'tab' | 'view'

const inAddress = (name: string) => name.toLowerCase()

/** Which tab is open, by the address: it can be passed on, and stays while one goes from mail to mail. The first needs no word. */
export function useTab(
  names: readonly string[],
  word: TabWord,
): readonly [open: string, choose: (name: string) => void] {
  const { words } = useSearchParams()
  const navigate = useNavigate()
  const open = names.find((name) => inAddress(name) === words[word]) ?? names[0]!
  const choose = (name: string) =>
    navigate({
      to: '.',
      search: (old: object) => ({ ...old, [word]: name === names[0] ? undefined : inAddress(name) }),
      state: (old) => old,
      replace: true,
    })
  return [open, choose]
}
