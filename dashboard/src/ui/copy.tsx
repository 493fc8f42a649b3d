import { useEffect, useState } from 'react'
import { Button, IconButton } from './button.tsx'
import './copy.css'
import { texts } from './texts.ts'

function useCopy(text: string) {
  const [isCopied, setCopied] = useState(false)
  useEffect(() => {
    if (!isCopied) return
    const timer = setTimeout(() => setCopied(false), 1_500)
    return () => clearTimeout(timer)
  }, [isCopied])
  const copy = async () => {
    await writeText(text)
    setCopied(true)
  }
  return { isCopied, copy }
}

/** The clipboard is for secure pages only; on a server without TLS the old way still works. */
async function writeText(text: string) {
  if (navigator.clipboard) return navigator.clipboard.writeText(text).catch(() => copyOldWay(text))
  copyOldWay(text)
}

function copyOldWay(text: string) {
  const field = Object.assign(document.createElement('textarea'), { value: text })
  document.body.append(field)
  field.select()
  document.execCommand('copy')
  field.remove()
}

export function CopyIcon({ text, what }: { text: string; what: string }) {
  const { isCopied, copy } = useCopy(text)
  return (
    <IconButton
      icon={isCopied ? 'check' : 'copy'}
      label={isCopied ? texts.copy.done : texts.copy.label(what)}
      onClick={copy}
    />
  )
}

export function CopyButton({ text, children }: { text: string; children: string }) {
  const { isCopied, copy } = useCopy(text)
  return (
    <Button icon={isCopied ? 'check' : 'copy'} onClick={copy}>
      {isCopied ? texts.copy.done : children}
    </Button>
  )
}

/** Something to paste elsewhere: an id, a record, a command. */
export function Copyable({ text, what, isLong = false }: { text: string; what: string; isLong?: boolean }) {
  return (
    <span className={isLong ? 'copyable long' : 'copyable'}>
      <code>{text}</code>
      <CopyIcon text={text} what={what} />
    </span>
  )
}
