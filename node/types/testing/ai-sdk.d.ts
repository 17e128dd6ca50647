/** An agent with `generate` and `tools`, such as a `ToolLoopAgent`, in one conversation. */
export class AiSdkAgent {
    /**
     * The shape of an agent: `generate` and `tools`.
     * @param {any} agent
     */
    static isOne(agent: any): boolean;
    /** @param {any} agent */
    constructor(agent: any);
    /** The names of the tools that it executes. */
    get names(): string[];
    /**
     * @param {TurnReport} report
     * @param {TurnBegin} begin
     */
    turn(report: TurnReport, { input, answers, signal }: TurnBegin): Promise<void>;
    #private;
}
import type { TurnReport } from "./turn-report.js";
import type { TurnBegin } from "./agent-session.js";
