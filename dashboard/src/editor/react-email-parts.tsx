// What the blocks of the editor use of React Email, in place of the whole of it: they import it as one namespace, so Tailwind's compiler,
// a Markdown parser and highlighters for three hundred languages would come along, 500 kB packed. They are needed where
// emails are composed, which the service does.
export { Button, Column, Container, Heading, Hr, Link, Row, Section } from 'react-email'

export const CodeBlock = ({ code }: { code: string }) => <pre>{code}</pre>
