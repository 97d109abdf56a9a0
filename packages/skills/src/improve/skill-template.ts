/** The text of a new skill with this name. It loads, and its tests pass. */
export function skillTemplate(name: string): string {
  return `#+title: ${name}
#+description: One sentence about what this skill is for.
#+CAPABILITIES: gates tools prompt

This document is a skill. Its TypeScript blocks run in a jail: no files, no network,
no clock, only what is handed in. Change what you like and delete what you do not need;
the line with CAPABILITIES must name what is left: gates, tools, hooks, jobs, prompt,
and call:TOOL for every tool that you want to call.

  passepartout skill check ${name}     tries it, with its tests
  passepartout skill enable ${name}    lets the daemon use it
  passepartout skill why ${name}       says how it is doing

* A rule for the model

#+begin_mandate
Count words with the tool ${name}-words and not by yourself.
#+end_mandate

* A gate

A gate sees every action before it runs, and says pass, reject or approval with a reason.
The higher its number, the earlier it is asked.

#+begin_src typescript
function judge({ action }) {
  const isMeant = JSON.stringify(action).includes('xyzzy')
  return isMeant ? { kind: 'approval', reason: 'the magic word was said' } : { kind: 'pass' }
}

gate('magic-word', 40, judge)
#+end_src

* A tool

A tool is called by the model with the arguments that you describe.
Its second parameter has call(tool, arguments), which asks for another tool through the gates.

#+begin_src typescript
function count({ args }) {
  const words = args.text.split(/\\s+/).filter((word) => word !== '')
  return \`\${words.length} words\`
}

tool('${name}-words', {
  about: 'Counts the words of a text.',
  parameters: { text: { type: 'string', about: 'The text' } },
}, count)
#+end_src

* Tests

They run in the jail before a new version takes the place of the old one.

#+begin_src typescript :test yes
test('the magic word is asked about', () => {
  expect(judge({ action: { payload: { text: 'xyzzy' } } }).kind, 'approval')
  expect(judge({ action: { payload: { text: 'hello' } } }).kind, 'pass')
})

test('words are counted', () => expect(count({ args: { text: ' one  two ' } }), '2 words'))
#+end_src
`
}
