import { expect, test } from 'vitest'
import type { PathPlaces } from '../../src/paths/paths.ts'
import { coversWords, wildcardRules } from '../../src/permissions/rule-wildcards.ts'

const places: PathPlaces = {
  home: '/home/ann',
  cwd: '/home/ann/memex',
  stateDir: '/home/ann/.local/state/passepartout',
  realPath: (path) => path,
}
const covers = (rule: string, command: string) => coversWords(rule.split(' '), command, places)

test.each(Object.entries(wildcardRules))('a star behind %s covers its examples', (name, rule) => {
  const open = (command: string) => {
    const own = [name, ...(rule.also?.split('|') ?? [])].find((each) =>
      `${command} `.startsWith(`${each} `),
    )
    return covers(`${own ?? name} **`, command)
  }
  expect(rule.match.filter((command) => !open(command))).toEqual([])
  expect(rule.not.filter(open)).toEqual([])
})

test.each([
  ['git diff **', 'git diff --output=src/a.js'],
  ['git log **', 'git log --output=inbox.org -p'],
  ['git log **', 'git log --outp inbox.org'],
  ['git grep **', 'git grep -O./scripts/a.sh x'],
  ['git grep *', 'git grep -O./scripts/a.sh'],
  ['git stash **', 'git stash clear'],
  ['git config **', 'git config core.pager x'],
  ['git submodule **', 'git submodule foreach x'],
  ['git bisect **', 'git bisect run x'],
  ['git rebase **', 'git rebase -x y'],
  ['git remote *', 'git remote update'],
  ['tar **', 'tar tf a --to-command=x'],
  ['tar tf **', 'tar tf a -I x'],
  ['tar tf **', 'tar tf a --checkpoint=1 --checkpoint-action=exec=x'],
  ['tar tf **', 'tar tf a --index-file=x'],
  ['sort **', 'sort -o .git/hooks/pre-commit a'],
  ['sort **', 'sort --compress-program=x a'],
  ['fd **', 'fd a -X x'],
  ['rg **', 'rg --pre x a'],
  ['go test **', 'go test -exec x'],
  ['gcc **', 'gcc -wrapper x,y a.c'],
  ['gcc **', 'gcc @args'],
  ['man **', 'man -P x ls'],
  ['unzip **', 'unzip a.zip -d .git/hooks'],
  ['zip **', 'zip a.zip b -TT x'],
  ['ffmpeg **', 'ffmpeg -i .env out.txt'],
  ['git commit **', 'git commit -F .env'],
  ['gh **', 'gh alias set x y'],
  ['docker **', 'docker run x'],
  ['npm config **', 'npm config set script-shell x'],
  ['nano **', 'nano +x'],
  ['convert **', 'convert a.png .git/hooks/pre-commit'],
  ['frobnicate **', 'frobnicate a ~/.ssh/id_rsa'],
  ['frobnicate **', 'frobnicate out=.envrc'],
  ['./sync.sh **', './sync.sh .env'],
  ['LD_PRELOAD=./x.so **', 'LD_PRELOAD=./x.so ./sync.sh a.org'],
  ['terraform **', 'terraform destroy'],
  ['terraform **', 'terraform apply plan.out'],
  ['terraform *', 'terraform destroy'],
  ['terraform workspace **', 'terraform workspace delete staging'],
  ['terraform state **', 'terraform state rm a.b'],
  ['aws **', 'aws s3 rm s3/x'],
  ['aws s3 **', 'aws s3 rm bucket/x'],
  ['gcloud compute **', 'gcloud compute instances delete a'],
  ['kubectl **', 'kubectl delete pods'],
  ['./manage.py **', './manage.py flush'],
  ['rails **', 'rails db:drop'],
  ['./deploy **', './deploy production'],
])('%s does not cover %s', (rule, command) => {
  expect(covers(rule, command)).toBe(false)
})

test.each([
  ['git diff --output=a', 'git diff --output=a'],
  ['git commit -m *', 'git commit -m fix'],
  ['./sync.sh **', './sync.sh notes/ garden.org'],
  ['./sync.sh notes **', './sync.sh notes garden'],
  ['terraform plan *', 'terraform plan staging'],
  ['convert **', 'convert a.png b.jpg'],
  ['git push --force **', 'git push --force origin main'],
])('%s covers %s', (rule, command) => {
  expect(covers(rule, command)).toBe(true)
})
