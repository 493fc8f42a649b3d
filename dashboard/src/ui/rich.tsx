import { Fragment, type ReactNode } from 'react'

const SLOT = /\{(\w+)\}/

/** A sentence with elements in it: `rich('Next attempt {when}', { when: <When at={at} /> })`. The sentence stays whole for translators. */
export function rich(sentence: string, slots: Readonly<Record<string, ReactNode>>): ReactNode {
  // A split with one group alternates: text, name, text, name, …
  const parts = sentence.split(new RegExp(SLOT, 'g'))
  return parts.map((part, index) => {
    const key = `${index}-${part}`
    return <Fragment key={key}>{index % 2 === 0 ? part : slots[part]}</Fragment>
  })
}
