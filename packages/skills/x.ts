import { readFileSync } from 'node:fs'
import { secretsIn } from './src/secret-content.ts'
const o = JSON.parse(readFileSync('/tmp/g2/gl.json','utf8'))
const tp=o.tp.filter((x:any)=>true)
let hit=0; const miss:Record<string,string[]>={}; const per:Record<string,[number,number]>={}
for(const [id,t] of tp){ const h=secretsIn(t).length>0; per[id]??=[0,0]; per[id][1]++; if(h){hit++;per[id][0]++} else (miss[id]??=[]).push(t)}
console.log('TP',hit,tp.length,(hit/tp.length*100).toFixed(1)+'%')
const rules=Object.values(per); console.log('rule-avg',(rules.reduce((a,[h,n])=>a+h/n,0)/rules.length*100).toFixed(1))
let fp=0; const fps:string[]=[]
for(const [id,t] of o.fp){ const f=secretsIn(t); if(f.length){fp++;fps.push(id+' | '+f[0]!.rule+' | '+t.slice(f[0]!.begin,f[0]!.end).slice(0,60)+' <- '+t.slice(0,100).replace(/\n/g,'⏎'))}}
console.log('FP',fp,o.fp.length)
if(process.argv[2]==='m') for(const [id,l] of Object.entries(miss)) console.log(id,per[id],l.slice(0,2).map(x=>x.slice(0,90).replace(/\n/g,'⏎')))
if(process.argv[2]==='f') console.log(fps.join('\n'))
