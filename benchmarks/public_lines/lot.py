"""Which programs were held out: drawn by lot before any mistake was written down; and those of the later sets."""

import random

SEED = 2026
PROGRAMS = (
    "Burton2000/CS231n-2017",
    "JY-Yoon/RNN-Implementation-using-NumPy",
    "Kulbear/deep-learning-coursera",
    "MichaelMastro/Batched-Gated-Recurrent-Unit",
    "borgwang/tinynn",
    "eliben/deep-learning-samples",
    "erikvdplas/gru-rnn",
    "jariasf/CS231n",
    "jyan1237/11785-hw3p1",
    "krocki/dnc",
    "mantasu/cs231n",
    "nianiaele/gru-cell-in-numpy",
    "nicodjimenez/lstm",
    "ocropus/ocropy",
    "oreilly-japan/deep-learning-from-scratch",
    "oreilly-japan/deep-learning-from-scratch-2",
    "vzhou842/rnn-from-scratch",
    "wiseodd/hipsternet",
)
SECOND = (  # found later, when both halves had been looked at
    "AkiRusProd/numpy-transformer",
    "DoctorTeeth/gru",
    "SethHWeidman/DLFS_code",
    "Synthaze/EpyNN",
    "cgpotts/cs224u",
    "karpathy/neuraltalk",
    "laziszaire/cs224n",
    "tomputer-g/11785-hw3p1",
)
THIRD = (  # found when the second set had become development material
    "HrBlack/RNN-for-Language-Modelling",
    "HuichuanLI/python_deep_learning_framework",
    "dennybritz/rnn-tutorial-rnnlm",
    "feifengwhu/RNN-ON-FPGA",
    "gmavr/pyneural",
    "navjindervirdee/neural-networks",
    "neelpawarcmu/mytorch-library",
    "pangolulu/rnn-from-scratch",
    "parasdahal/deepnet",
    "razaulazam/DLFramework",
)
FOURTH = (  # found when the third set had become development material
    "E1eveNn/shinnosuke",
    "TimSchopf/LSTM",
    "ahmadrazacdx/seq-modeling-from-scratch",
    "awni/semantic-rntn",
    "kisate/myLSTM",
    "ladih/Layered-RNN",
    "raphaelsenn/rnn-lstm-gru-numpy",
    "yangwohenmai/LSTM",
)
FIFTH = (  # found later, chosen to be like what students usually write
    "CaiFeipeng/numpy-nn",
    "FortiLeiZhang/cs231n",
    "j0sephsasson/numpy-RNN",
    "janivanecky/Numpy-RNNs",
    "jiexunsee/Numpy-LSTM",
    "kookie12/LSTM-numpy",
    "mijies/sequence_learning",
    "mnchl-kim/stacked-RNN-Numpy",
    "scottleith/lstm",
    "usamahjundia/Numpy-NN",
)
SIXTH = (  # found when both halves of the fifth set had been run on
    "BrantleighBunting/linalg",
    "Jfeatherstone/ElmanNetwork",
    "LxMLS/lxmls-toolkit",
    "colecgulino/numpy-nn",
    "kaiweihuang/CS231n",
    "kingtaurus/cs231n",
    "legalaspro/rnn_gru_lstm_experiments",
    "petar-ceho/rnn-numpy",
    "selma0817/CMU_11785_IDL",
)
SEVENTH = (  # found when both halves of the sixth set had been run on
    "AnujJha88/RNN-Implementation",
    "ColasGael/cs231n-assignments-spring19",
    "YVSemlani/numpy-transformer",
    "arpitsahni04/Mytorch--Reimplementing-Pytorch",
    "bosonfields/DeepLearning-course-project",
    "horecdev/RNN-from-scratch",
    "hsqStephenZhang/rnn_lstm_numpy",
    "milanvarghese/LSTM-from-Scratch-using-Numpy",
    "moisesjf10/NeuralNetwork_from_scratch",
    "tmoldwin/rnn",
)
EIGHTH = (  # found when both halves of the seventh set had been run on
    "DmitryInd/Numpy-NN-Framework",
    "FredAntB/Vanilla-RNN-with-numpy",
    "RihaChri/Simple-LSTM-from-scratch",
    "danilyef/RNN-Numpy",
    "hrishikeshshekhar/Vanilla-RNN",
    "knah1d/lstm-from-scratch",
    "krishhrana/MyTorch",
    "vasusingla/numpy-vanilla-rnn",
)
NINTH = (  # found when both halves of the eighth set had been run on; all of them are held out
    "Aalgarnaal/rnn-in-numpy",
    "Jmkernes/LSTM-RNN-in-numpy",
    "xavi1989/cs231n",
    "younesslanda/LSTM-Numpy",
)
TENTH = (  # found, and its mistakes written, by others than those who had looked at the sets before; all held out
    "AbhinavSeggyam/transformer_numpy",
    "androclassic/min-char-gru",
    "anup44/lstm-from-scratch",
    "chris4540/DD2424_Deep_Learning",
    "gartland98/LSTM-from-scratch",
    "ShafwanAdhi/rnn-from-scratch",
    "Ultron09/Numpy-Transformer",
    "VahidNaghashi/LSTM-from-scratch",
    "tg-93/min-char-rnn",
    "wilhelmagren/DD2424-Deep-Learning",
    "MARKST-47/rnn-from-scratch",
    "Mirko-A/LSTM-from-scratch",
    "MohammadHossinzehi/self-attention-from-scratch",
    "nhanwei/rnn_numpy_scratch",
    "rezeroworld/RNN_LSTM_from_scratch_numpy",
    "AlexGiazitzis/RNN-from-scratch",
    "adrita78/MyTorch-11785",
    "aratrika02/lstm-from-scratch",
    "arhatk9/RNN_and_LSTM_from_scratch",
    "dappon4/mytorch",
    "JotaniyaKeyur/gru-from-scratch-translation",
    "kjpou1/rnn_lstm_from_scratch",
    "kmsgnnew/vision_transformer_numpy",
    "leoTiez/vanilla-RNN",
    "ligd07/RNN-Numpy",
)
ELEVENTH = (  # as the tenth, when all of that had been looked at
    "8804who/paper_implementation",
    "Aranguri/nns",
    "BluberryPie/min-char-rnn",
    "bionascu/char-vanilla-rnn",
    "fengyukun/nn-semaf",
    "gabrielpetersson/recurrent-neural-network-from-scratch",
    "okan-can-nazli/lstm-from-scratch",
    "rmaahin/LSTM-from-scratch",
    "lanpay-lulu/lanpay-rnn-from-scratch",
    "rziga/numpy-is-all-you-need",
    "jry-king/CMU-11785-2021spring",
    "JanSnoeijsEPFL/gru_numpy",
    "Saad-Naeem-891/RNN-From-Scratch",
    "samarthsingla/rnn-from-scratch",
    "Tongjilibo/rnn_numpy_stock",
    "XavierSpycy/NumPy-Keras",
    "Zhengtq/RNN-GRU-pure-numpy",
    "ZouJiu1/numpy_lstm_RNN",
)
TWELFTH = (  # as the eleventh, when all of that had been looked at
    "1an9ua9e/rnnlm",
    "2015xli/LSTM",
    "AlexandrosFerles/DD2424_Deep_Learning_in_Data_Science",
    "appleweiping/cmu11785-idl",
    "codiceSpaghetti/numpyGPT",
    "hannaofficial/LSTM-from-scratch-with-adam-optimiser",
    "inomata137/deep-learning-from-scratch-2",
    "joeharson/rnn_from_scratch",
    "KhaledAlnobani/RNN-LSTM-from-scratch",
    "mpierrau/DD2424_Lab4_RNN",
    "peterroelants/peterroelants.github.io",
    "phoebe97629/CMU-Deep-Learning_11785",
    "sil-pixel/DD2424",
    "tatsuyaokunaga/RNN-scratch",
    "tdavchev/Recurrent-Neural-Network",
    "teodoraspasojevic/FFN_CNN_RNN_LSTM_from_Scratch",
    "YM2025/CMU_11785_2024S",
    "zubair2004/RNN-from-Scratch.",
)
THIRTEENTH = (  # as the twelfth, when all of that had been looked at
    "1nadequacy/notebooks",
    "aaryan124/cnn-from-scratch",
    "Acander/Deep_Learning_DD2424",
    "artrela/idl-11785",
    "daredevil9215/DLFS",
    "HELLRAISER3/numpy-transformer",
    "hikyylz/machine-learning-rnn-bptt-from-scratch",
    "in5omnia/RNN-vs-GRU-BPTT-Study",
    "Jessitoii/numpy-gpt",
    "majdjamal/DD2424_labs",
    "naye971012/numpy_transformer",
    "oooookk7/machine-learning-a-to-z",
    "OT1devl/Deep-Learning",
    "sharik31/rnn-scratch-implementation",
    "sloanahrens/machine-learning",
    "snehaldutta/RNN-Scratch",
    "uesina15-max/Transformer-algorithm-application-numpy-",
    "YcjFx/lstm-numpy-last",
    "zhiranchen/CMU11785-Deep-Learning",
)
FOURTEENTH = (  # as the thirteenth, when all of that had been looked at
    "aidoraide/numpy-rnn",
    "arthur-stat/eztorch",
    "asishjose/Deep-Learning",
    "baldassarreFe/dd2424-deep-learning",
    "codeamt/Deep-Learning-AI",
    "csxeba/brainforge",
    "imteekay/machine-learning-research",
    "JohnProto/rnn-from-scratch",
    "mikecarter3/cs231n_assignment3",
    "mouadleachouri/vanilla-rnn",
    "new-Sunset-shimmer/RNN_numpy",
    "otwrial/11685-HW4",
    "RECHE23/NumPy-Neural-Network",
    "sid200016/Introduction-to-Deep-Learning-11785-Homeworks",
    "Site1997/RNN-implementation",
    "soheil-mp/Natural-Language-Processing-Tutorials",
    "Tushar351/LSTM",
    "vlasov-dmitrii/RNN_from_scratch",
)
FIFTEENTH = (
    "A-Soltani/deep-learning",
    "abk171/11785-Intro-to-deep-learning",
    "AriizumiKW/Recurrent-Neural-Network-NumPy",
    "christinakouridi/scratchML",
    "ElimsV/DD2424",
    "Haoran1227/LSTM-Neural-Network",
    "HodlOg/random",
    "javaidnabi31/RNN-from-scratch",
    "kahoujo1/DD2424-assignments",
    "khanin2539/11785_Intro_to_Deep_Learning",
    "Kunal-artist/lstm-from-scratch-numpy",
    "lawrennd/mlai",
    "parinitha95/Image_Captioning",
    "sevendaystoglory/ML-theory-to-practice",
    "shuyanwang/11785HW",
    "srazakarivony/TS_analysis",
    "Tao119/deep-learning-from-scratch-2",
    "v0lta/NumPy-backprop",
    "waynemystir/stanford-cs231n",
    "zhengjiayi1206/practice",
)
SIXTEENTH = (
    "bejaeger/lstm-in-pure-python",
    "cacao-macao/random-walk-in-AI",
    "Cindy-eng/AI-Data-Engineer--Assignments",
    "clara2911/DeepLearning_DD2424",
    "dashidhy/cs231n_assignments",
    "HendRamadan1/RNN_and_LSTM_fromSratch-",
    "KizuriStudio/rede-neural",
    "lizamaa123/DD2424-Assignments",
    "Llynoirx/gru-architecture",
    "MemuSAE/Long-Short-Term-Memory-from-scratch",
    "Mrpatekful/numpyml",
    "Phuong22122003/simple-neural-network",
    "RemonComputer/CS231n---Assignment-3",
    "rnbwdsh/lstm_rnn",
    "tayebiarasteh/DeepLearning_from_scratch",
    "tugot17/Recurent-Neural-Network-From-Scratch",
    "Vadimbuildercxx/NumpyGPT",
    "yijing-sie/RNN-and-LSTM",
)
SEVENTEENTH = (
    "alexcosta13/dd2424-deep-learning-in-data-science",
    "andrescastillovega/TSFM_lecture_3_transformers",
    "chaoming0625/NumpyDL",
    "Deeplayer/CS231n-winter-2016",
    "DOHA2000-DATA/RNN_FROM_SCRATCH1",
    "gitonga5/SimpleConv1d",
    "jaentrouble/cnnassign3",
    "jakelourie1502/RNN_from_scratch_compared_to_Keras",
    "JapiKredi/RNN_from_scratch",
    "marjanme/transformer-numpy",
    "namburusiddhartha/Deep_Learning_11785_CMU",
    "OscarMelin/deep_learning_DD2424",
    "PollenJain/RNN-Numpy",
    "RishitSaxena55/TorchiFy-v1",
    "Robertoskr/deepr",
    "rohinarora/sequential_models",
    "tangoclinh1995/COMP4901JAssignment3",
    "TomDLT/TomDLT.github.io",
    "xinghaow99/transformer_from_scratch",
)
FOR_DEVELOPMENT = (
    "kailash19961996/Research-Paper",
    "kevjidji/IDLHW4",
    "MattisTrygstad/recurrent-neural-network",
    "mohamedadaly/CS224D-Spring-2015-Homeworks",
    "sardaryannarek/SpectralClustering",
    "seryilmaz/cs231n-assignment3",
)
EIGHTEENTH = (
    "ac07/numpy_rnn",
    "ajrocks12345/Neural-Voice-Assistant",
    "ali-bana/DD2424-Assignments",
    "AliNaeemCh/Digit-Recognizer-With-GRU-From-Scratch",
    "bilkosem/simple-rnn_from_scratch",
    "dengliangshi/pynnlms",
    "exbibyte/cs231n_a3",
    "KodeCharya/LSTM-from-scrach",
    "meliisse/CNN-LSTM-from-scratch",
    "mhagglun/DeepLearning-DD2424",
    "mochakai/RNN_BPTT",
    "Modestas96/LSTM_numpy",
    "Nico-Curti/NumPyNet",
    "oktakarisa/rnn-scratch",
    "RammeDon/Vanilla-CharRNN-on-Goblet-of-Fire",
    "sachin-101/Sentiment-Analysis-using-LSTM-from-Scratch",
    "santinic/claudioflow",
    "Suryadip16/DL_Semester3",
    "SvPolina/assignment3-cs231n",
    "sweinger/deep_learning",
    "zihaog0724/cmu-11785-deeplearning-s19",
)
EIGHTEENTH_FOR_DEVELOPMENT = (
    "AlphaDeeX/LSTM-Python",
    "annasanchez27/DD2424-deep-learning-data-science",
    "asv18/rnn_from_scratch",
    "AX-Berglund/DD2424-DeepLearning",
    "danksup/nn-from-scratch",
    "heromanba/Stanford-CS231n-Assignments",
    "Kokkini/RNN_from_scratch",
    "MarkusHohle/LSTM-from-Scratch",
    "Najib-Haq/Vectorized-CNN-from-scratch",
    "Ontheway361/stanford_cs231n",
    "oStglnd/dd2424",
    "sridevikaza/11785-IDL",
    "takeitbillykyle/Deep-Learning-DD2424",
    "TomMayeLasserre/RNN-from-scratch",
)
NINETEENTH_FOR_DEVELOPMENT = (
    "Atharv-3105/LSTM_From_Scratch",
    "diegomorin8/Deep-Learning-in-Data-Science-DD2424",
    "IAmWave/blekota",
    "JonathonYan1993/DL_MLP_CNN_RNN_LSTM_Numpy",
    "maideas/numpy-neural-network",
    "Mohamedbasem1/RNN-from-Scratch",
    "NaSa30/CS4375-Project",
    "nlfox/nlu-coursework",
    "no771994/Neural-Entropy-Modelling",
    "SamH135/Recurrent-Neural-Network-from-Scratch",
    "sayam-mad/RNN_Numpy",
    "sharonwx54/MyTorch",
    "ShivaBP/DD2424-DeepLearning",
    "SimonWang0822/ML-Club-Projects",
    "sjhn/A1-CS231n_Stanford",
    "Val325/transformer-numpy",
    "zer0sh0t/HAL_9000",
)
PARTED = {"": PROGRAMS, "fourth ": FOURTH, "fifth ": FIFTH, "sixth ": SIXTH, "seventh ": SEVENTH, "eighth ": EIGHTH}
WHOLE = {"second": SECOND, "third": THIRD, "ninth": NINTH, "tenth": TENTH, "eleventh": ELEVENTH, "twelfth": TWELFTH}
WHOLE |= {"thirteenth": THIRTEENTH, "fourteenth": FOURTEENTH, "fifteenth": FIFTEENTH, "sixteenth": SIXTEENTH}
WHOLE |= {"seventeenth": SEVENTEENTH, "eighteenth": EIGHTEENTH}
# made to be looked at while the others were not
LOOKED_AT = {"seventeenth development": FOR_DEVELOPMENT, "eighteenth development": EIGHTEENTH_FOR_DEVELOPMENT}
LOOKED_AT |= {"nineteenth development": NINETEENTH_FOR_DEVELOPMENT}
SETS = [program for programs in (*PARTED.values(), *WHOLE.values(), *LOOKED_AT.values()) for program in programs]


def parts():
    """{half: its programs}: of sets that are parted by lot, and of those that are held out as a whole."""
    found = {}
    for name, programs in PARTED.items():
        drawn = frozenset(random.Random(SEED).sample(programs, len(programs) // 2))
        found[f"{name}development"] = [program for program in programs if program not in drawn]
        found[f"{name}held out"] = [program for program in programs if program in drawn]
    return found | {f"{name} held out": list(programs) for name, programs in WHOLE.items()} | LOOKED_AT


HALF_OF = {program: half for half, programs in parts().items() for program in programs}
HALVES = tuple(dict.fromkeys(HALF_OF.values()))


def half_of(program: str) -> str:
    """The part that a repository belongs to, one of HALVES."""
    return HALF_OF[program]
