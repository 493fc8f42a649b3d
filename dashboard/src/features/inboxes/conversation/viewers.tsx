import { Avatar } from '../avatar.tsx'
import { texts } from '../texts.ts'
import type { Viewer } from './use-viewers.ts'
import './viewers.css'

const MAX_AVATARS = 3

/** Who else looks at the thread, and who replies: so that two do not answer the same email. */
export function Viewers({ others }: { others: readonly Viewer[] }) {
  return (
    <p className="viewers" role="status" data-state={others.some(isReplying) ? 'replying' : 'viewing'}>
      {others.slice(0, MAX_AVATARS).map((viewer) => (
        <span key={viewer.email} title={viewer.email}>
          <Avatar of={writtenOf(viewer)} isSmall />
        </span>
      ))}
      {sentenceOf(others)}
    </p>
  )
}

const isReplying = ({ state }: Viewer) => state === 'replying'
const writtenOf = ({ name, email }: Viewer) => (name ? `${name} <${email}>` : email)
const nameOf = ({ name, email }: Viewer) => name || email

/** Who replies counts more than who looks. */
function sentenceOf(others: readonly Viewer[]): string {
  const replying = others.filter(isReplying)
  const meant = replying.length > 0 ? replying : others
  const [first, ...rest] = meant
  if (!first) return ''
  const words = replying.length > 0 ? texts.viewers.replying : texts.viewers.viewing
  if (rest.length === 0) return words.one(nameOf(first))
  if (rest.length === 1) return words.two(nameOf(first), nameOf(rest[0]!))
  return words.more(nameOf(first), rest.length)
}
